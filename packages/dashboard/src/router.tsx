/** Addresses. Search parameters are plain text: what one reads in the address is what a page gets. */

import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { modeOf } from './format/words.ts'
import { developersPages } from './pages/developers/pages.ts'
import { homePages } from './pages/home/pages.ts'
import { moneyPages } from './pages/money/pages.ts'
import type { Pages } from './pages/pages.ts'
import { recurringPages } from './pages/recurring/pages.ts'
import { routingPages } from './pages/routing/pages.ts'
import { settingsPages } from './pages/settings/pages.ts'
import { sessionQuery } from './session/session.ts'
import { pageOf } from './shell/navigation.ts'
import { NotFound } from './shell/not-found.tsx'
import { WorkspaceShell } from './shell/shell.tsx'
import { ErrorPanel } from './ui/states.tsx'

const lastWorkspace = 'switchyard.workspace'

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
    const kept = localStorage.getItem(lastWorkspace)
    const workspace =
      session.workspaces.find(({ id }) => id === kept) ??
      session.workspaces.find(({ mode }) => mode === 'test') ??
      session.workspaces[0]
    throw redirect({ to: `/${workspace?.id ?? 'none'}` })
  },
})

/** From elsewhere, such as the command line: an id says of which mode it is, and what is known of the rest is here. */
const opening = createRoute({
  getParentRoute: () => root,
  path: '/open/$id',
  beforeLoad: async ({ context, params: { id }, location }) => {
    const session = await context.queries.ensureQueryData(sessionQuery)
    if (session === null) throw redirect({ to: '/sign-in', search: { to: location.href } as never })
    const kept = localStorage.getItem(lastWorkspace)
    const possible = session.workspaces.filter(({ mode }) => mode === (modeOf(id) ?? mode))
    const workspace = possible.find((one) => one.id === kept) ?? possible[0]
    throw redirect({ to: `/${workspace?.id ?? 'none'}${pageOf(id) ?? ''}` })
  },
})

const outside = [
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
    localStorage.setItem(lastWorkspace, params.workspaceId)
  },
})

const all: Pages = {
  ...homePages,
  ...moneyPages,
  ...recurringPages,
  ...routingPages,
  ...developersPages,
  ...settingsPages,
}
const pages = Object.entries(all).map(([path, load]) =>
  createRoute({ getParentRoute: () => workspace, path, component: lazyRouteComponent(load, 'Page') }),
)

export function makeRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([start, opening, ...outside, workspace.addChildren(pages)]),
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
