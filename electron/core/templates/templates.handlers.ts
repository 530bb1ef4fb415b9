/** Joins the contract of templates to what answers it. */
export const templatesHandlers = {}
