import { type Router, createRouter, createWebHashHistory } from 'vue-router'
import { features, navigation } from './features.ts'

/**
 * Routes of every feature. The route is after `#`, because the two hosts serve one file from different addresses. An unknown route leads
 * to the first page of the navigation.
 */
export function createAppRouter(): Router {
  const first = navigation[0]?.route.path ?? '/connect'
  return createRouter({
    history: createWebHashHistory(),
    routes: [
      ...features.map((feature) => ({
        path: feature.route.path,
        name: feature.id,
        component: feature.route.component,
        meta: { within: feature.within ?? null },
      })),
      { path: '/:unknown(.*)*', redirect: first },
    ],
  })
}
