import { SwitchyardError } from '@switchyard/sdk'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { makeRouter } from './router.tsx'
import { watchActivity } from './session/activity.ts'
import { DoorError } from './session/doors.ts'
import { sessionQuery } from './session/session.ts'
import { applyTheme } from './shell/theme.ts'
import './style.css'

applyTheme()
watchActivity()

/** A session that has ended is noticed by whichever part of a page asks first. */
const cache = new QueryCache({
  onError: (error) => {
    const isOver = (error instanceof DoorError || error instanceof SwitchyardError) && error.status === 401
    if (!isOver || router.state.location.pathname === '/sign-in') return
    queries.setQueryData(sessionQuery.queryKey, null)
    void router.navigate({ to: '/sign-in', search: { to: router.state.location.href } as never })
  },
})
const queries = new QueryClient({
  queryCache: cache,
  defaultOptions: { queries: { staleTime: 2_000, retry: false, refetchOnWindowFocus: true } },
})
const router = makeRouter(queries)

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
