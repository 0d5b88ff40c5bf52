import { SwitchyardError } from '@switchyard/sdk'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createAppRouter } from './router.tsx'
import { watchActivity } from './session/activity.ts'
import { sessionQuery } from './session/session.ts'
import { SessionApiError } from './session/session-api.ts'
import { applyTheme } from './shell/theme.ts'
import './style.css'

applyTheme()
watchActivity()

/** Any query can be the first to receive 401 after the session has ended. */
const cache = new QueryCache({
  onError: (error) => {
    const isUnauthorized =
      (error instanceof SessionApiError || error instanceof SwitchyardError) && error.status === 401
    if (!isUnauthorized || router.state.location.pathname === '/sign-in') return
    queries.setQueryData(sessionQuery.queryKey, null)
    void router.navigate({ to: '/sign-in', search: { to: router.state.location.href } as never })
  },
})
const queries = new QueryClient({
  queryCache: cache,
  defaultOptions: { queries: { staleTime: 2_000, retry: false, refetchOnWindowFocus: true } },
})
const router = createAppRouter(queries)

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
