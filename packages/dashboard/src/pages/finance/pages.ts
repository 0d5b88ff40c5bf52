import type { Pages } from '../pages.ts'

export const financePages: Pages = {
  '/balances': () => import('./balances.tsx'),
  '/reconciliation': () => import('./reconciliation.tsx'),
  '/tax': () => import('./tax/tax.tsx'),
  '/exports': () => import('./exports.tsx'),
}
