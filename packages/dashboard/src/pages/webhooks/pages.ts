import type { Pages } from '../pages.ts'

export const webhooksPages: Pages = {
  '/events': () => import('./events/list.tsx'),
  '/events/tail': () => import('./events/tail.tsx'),
  '/events/$id': () => import('./events/event.tsx'),
  '/webhook-endpoints': () => import('./endpoints/list.tsx'),
  '/webhook-endpoints/lab': () => import('./endpoints/lab/lab.tsx'),
  '/webhook-endpoints/$id': () => import('./endpoints/endpoint.tsx'),
  '/deliveries/$id': () => import('./endpoints/delivery/delivery.tsx'),
}
