import type { Pages } from '../pages.ts'

export const billingPages: Pages = {
  '/subscriptions': () => import('./subscriptions/list.tsx'),
  '/subscriptions/new': () => import('./subscriptions/create.tsx'),
  '/subscriptions/$id': () => import('./subscriptions/subscription.tsx'),
  '/products': () => import('./products/list.tsx'),
  '/products/$id': () => import('./products/product.tsx'),
  '/invoices': () => import('./invoices/list.tsx'),
  '/invoices/$id': () => import('./invoices/invoice.tsx'),
  '/seller': () => import('./seller/seller.tsx'),
  '/dunning': () => import('./dunning/overview.tsx'),
  '/dunning/$id': () => import('./dunning/campaign.tsx'),
  '/test-clocks': () => import('./test-clocks/list.tsx'),
  '/test-clocks/$id': () => import('./test-clocks/clock.tsx'),
}
