import type { Pages } from '../pages.ts'

export const billingPages: Pages = {
  '/subscriptions': () => import('./subscriptions/list.tsx'),
  '/subscriptions/new': () => import('./subscriptions/create.tsx'),
  '/subscriptions/$id': () => import('./subscriptions/subscription.tsx'),
  '/products': () => import('./products/list.tsx'),
  '/products/$id': () => import('./products/product.tsx'),
  '/coupons': () => import('./coupons/list.tsx'),
  '/coupons/$id': () => import('./coupons/coupon.tsx'),
  '/meters': () => import('./meters/list.tsx'),
  '/meters/$id': () => import('./meters/meter.tsx'),
  '/invoices': () => import('./invoices/list.tsx'),
  '/invoices/new': () => import('./invoices/create.tsx'),
  '/invoices/$id': () => import('./invoices/invoice.tsx'),
  '/seller': () => import('./seller/seller.tsx'),
  '/dunning': () => import('./dunning/overview.tsx'),
  '/dunning/$id': () => import('./dunning/campaign.tsx'),
  '/cancellation-requests': () => import('./cancellation-requests/list.tsx'),
  '/cancellation-requests/$id': () => import('./cancellation-requests/request.tsx'),
  '/test-clocks': () => import('./test-clocks/list.tsx'),
  '/test-clocks/$id': () => import('./test-clocks/clock.tsx'),
}
