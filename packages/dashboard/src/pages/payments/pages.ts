import type { Pages } from '../pages.ts'

export const paymentsPages: Pages = {
  '/payments': () => import('./payments/list.tsx'),
  '/payments/$id': () => import('./payments/payment.tsx'),
  '/refunds': () => import('./refunds/list.tsx'),
  '/refunds/$id': () => import('./refunds/refund.tsx'),
  '/disputes': () => import('./disputes/list.tsx'),
  '/disputes/$id': () => import('./disputes/dispute.tsx'),
  '/customers': () => import('./customers/list.tsx'),
  '/customers/$id': () => import('./customers/customer.tsx'),
  '/payment-methods': () => import('./payment-methods/list.tsx'),
  '/payment-methods/$id': () => import('./payment-methods/method.tsx'),
  '/payment-links': () => import('./payment-links/list.tsx'),
  '/payment-links/$id': () => import('./payment-links/link.tsx'),
  '/mails': () => import('./mails/list.tsx'),
  '/mails/$id': () => import('./mails/mail.tsx'),
}
