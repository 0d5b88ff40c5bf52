import type { Pages } from '../pages.ts'

export const financePages: Pages = {
  '/balances': () => import('./balances.tsx'),
  '/exports': () => import('./exports.tsx'),
}
