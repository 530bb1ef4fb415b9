import './empty-markup-only.ts'
import './no-generated-code.ts'
import { VueQueryPlugin } from '@tanstack/vue-query'
import { createPinia } from 'pinia'
import { useDocumentVisibility } from '@vueuse/core'
import { computed, createApp } from 'vue'
import { pickTransport } from '../rpc/connect.ts'
import { createRpc, rpcKey } from '../rpc/rpc.ts'
import { exchangeToken } from '../rpc/session.ts'
import { createQueryClient } from '../shared/query/query-client.ts'
import { allowLibraryStyles } from '../shared/theme/style-nonce.ts'
import { registerBaseParts } from '../shared/ui/base-parts.ts'
import App from './App.vue'
import { createAppRouter } from './router.ts'
import '@fontsource-variable/inter/wght.css'
import '../shared/theme/base.css'
import '../shared/theme/utilities.css'

const admitted = exchangeToken(window)
allowLibraryStyles(document)

const openTransport = pickTransport(window)
const visibility = useDocumentVisibility()
const rpc = createRpc({
  hidden: computed(() => visibility.value === 'hidden'),
  openTransport: async () => {
    // The socket needs the cookie from the exchange. If the token is refused, an older cookie may still work.
    await admitted
    return await openTransport()
  },
})

createApp(App)
  .provide(rpcKey, rpc)
  .use(createPinia())
  .use(VueQueryPlugin, { queryClient: createQueryClient(rpc) })
  .use(createAppRouter())
  .use(registerBaseParts)
  .mount('#app')
