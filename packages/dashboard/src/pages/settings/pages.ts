import type { Pages } from '../pages.ts'

export const settingsPages: Pages = {
  '/people': () => import('./people/list.tsx'),
  '/audit-entries': () => import('./audit/list.tsx'),
  '/system': () => import('./system.tsx'),
  '/account': () => import('./account/account.tsx'),
}
