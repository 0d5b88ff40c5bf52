import type { Pages } from '../pages.ts'

export const workspacePages: Pages = {
  '/system': () => import('./system.tsx'),
}
