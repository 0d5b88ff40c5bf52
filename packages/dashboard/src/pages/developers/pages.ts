import type { Pages } from '../pages.ts'

export const developersPages: Pages = {
  '/events': () => import('./events/list.tsx'),
  '/events/tail': () => import('./events/tail.tsx'),
  '/events/$id': () => import('./events/event.tsx'),
  '/webhook-endpoints': () => import('./webhooks/list.tsx'),
  '/webhook-endpoints/lab': () => import('./webhooks/lab/lab.tsx'),
  '/webhook-endpoints/$id': () => import('./webhooks/endpoint.tsx'),
  '/deliveries/$id': () => import('./webhooks/delivery/delivery.tsx'),
  '/requests': () => import('./requests/list.tsx'),
  '/requests/$id': () => import('./requests/request.tsx'),
  '/api-tokens': () => import('./tokens/list.tsx'),
}
