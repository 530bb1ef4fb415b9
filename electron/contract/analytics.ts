/** The service's figures over a range of days, and those of the events kept here. */
export const analyticsContract = {}
