import type { Pages } from '../pages.ts'

export const accessPages: Pages = {
  '/people': () => import('./people/list.tsx'),
  '/api-tokens': () => import('./tokens/list.tsx'),
  '/audit-entries': () => import('./audit/list.tsx'),
  '/requests': () => import('./requests/list.tsx'),
  '/requests/$id': () => import('./requests/request.tsx'),
  '/account': () => import('./account/account.tsx'),
}
