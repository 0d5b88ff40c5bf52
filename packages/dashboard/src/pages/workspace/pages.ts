import type { Pages } from '../pages.ts'

export const workspacePages: Pages = {
  '/card-data': () => import('./card-data.tsx'),
  '/payment-element': () => import('./payment-element.tsx'),
  '/customer-portal': () => import('./customer-portal.tsx'),
  '/system': () => import('./system.tsx'),
}
