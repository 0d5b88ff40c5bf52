import type { Pages } from '../pages.ts'

export const workspacePages: Pages = {
  '/card-data': () => import('./card-data.tsx'),
  '/system': () => import('./system.tsx'),
}
