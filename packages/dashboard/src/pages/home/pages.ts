import type { Pages } from '../pages.ts'

export const homePages: Pages = {
  '/': () => import('./home.tsx'),
}
