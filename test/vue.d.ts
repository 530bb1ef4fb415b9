/** The test project's compiler reads no `.vue` files; the renderer's checks them. */
declare module '*.vue' {
  import type { DefineComponent } from 'vue'

  const component: DefineComponent
  export default component
}
