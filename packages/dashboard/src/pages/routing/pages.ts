import type { Pages } from '../pages.ts'

export const routingPages: Pages = {
  '/payment-routes': () => import('./routes/list.tsx'),
  '/payment-routes/$id': () => import('./routes/route.tsx'),
  '/provider-accounts': () => import('./providers/list.tsx'),
  '/provider-accounts/$id': () => import('./providers/provider.tsx'),
}
