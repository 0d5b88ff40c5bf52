/** The routes of the dashboard. Search parameters are plain text and are not parsed as JSON. */

import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { modeOf } from './format/text.ts'
import { accessPages } from './pages/access/pages.ts'
import { billingPages } from './pages/billing/pages.ts'
import { financePages } from './pages/finance/pages.ts'
import { homePages } from './pages/home/pages.ts'
import type { Pages } from './pages/pages.ts'
import { paymentsPages } from './pages/payments/pages.ts'
import { routingPages } from './pages/routing/pages.ts'
import { webhooksPages } from './pages/webhooks/pages.ts'
import { workspacePages } from './pages/workspace/pages.ts'
import { sessionQuery } from './session/session.ts'
import { objectPath } from './shell/navigation.ts'
import { NotFound } from './shell/not-found.tsx'
import { WorkspaceShell } from './shell/shell.tsx'
import { ErrorPanel } from './ui/states.tsx'

const lastWorkspaceKey = 'switchyard.workspace'

const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFound,
})

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async ({ context }) => {
    const session = await context.queries.ensureQueryData(sessionQuery)
    if (session === null) throw redirect({ to: '/sign-in' })
    const lastWorkspaceId = localStorage.getItem(lastWorkspaceKey)
    const workspace =
      session.workspaces.find(({ id }) => id === lastWorkspaceId) ??
      session.workspaces.find(({ mode }) => mode === 'test') ??
      session.workspaces[0]
    throw redirect({ to: `/${workspace?.id ?? 'none'}` })
  },
})

/** For links from outside the dashboard, such as the CLI: opens an object in a workspace whose mode matches its id. */
const openById = createRoute({
  getParentRoute: () => root,
  path: '/open/$id',
  beforeLoad: async ({ context, params: { id }, location }) => {
    const session = await context.queries.ensureQueryData(sessionQuery)
    if (session === null) throw redirect({ to: '/sign-in', search: { to: location.href } as never })
    const lastWorkspaceId = localStorage.getItem(lastWorkspaceKey)
    const candidates = session.workspaces.filter(({ mode }) => mode === (modeOf(id) ?? mode))
    const workspace = candidates.find((one) => one.id === lastWorkspaceId) ?? candidates[0]
    throw redirect({ to: `/${workspace?.id ?? 'none'}${objectPath(id) ?? ''}` })
  },
})

const signedOutRoutes = [
  { path: '/sign-in', page: lazyRouteComponent(() => import('./session/sign-in.tsx'), 'SignIn') },
  { path: '/join', page: lazyRouteComponent(() => import('./session/join.tsx'), 'Join') },
].map(({ path, page }) => createRoute({ getParentRoute: () => root, path, component: page }))

const workspace = createRoute({
  getParentRoute: () => root,
  path: '/$workspaceId',
  component: WorkspaceShell,
  notFoundComponent: NotFound,
  beforeLoad: async ({ context, params, location }) => {
    const session = await context.queries.ensureQueryData(sessionQuery)
    if (session === null) throw redirect({ to: '/sign-in', search: { to: location.href } as never })
    localStorage.setItem(lastWorkspaceKey, params.workspaceId)
  },
})

const allPages: Pages = {
  ...homePages,
  ...accessPages,
  ...paymentsPages,
  ...routingPages,
  ...billingPages,
  ...webhooksPages,
  ...financePages,
  ...workspacePages,
}
const pages = Object.entries(allPages).map(([path, load]) =>
  createRoute({ getParentRoute: () => workspace, path, component: lazyRouteComponent(load, 'Page') }),
)

export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([start, openById, ...signedOutRoutes, workspace.addChildren(pages)]),
    context: { queries },
    defaultErrorComponent: ({ error, reset }) => (
      <main className="p-6">
        <ErrorPanel error={error as Error} retry={reset} />
      </main>
    ),
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
      const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString()
      return text === '' ? '' : `?${text}`
    },
  })
}
