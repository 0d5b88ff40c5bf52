/** The page of one object, or its loading or error state, always with title and breadcrumbs. */
import type { ReactNode } from 'react'
import { useDisabledReason, useIsAllowed } from '../api/workspace.tsx'
import { type Crumb, PageHead, Panel } from './panel.tsx'
import { Empty, ErrorPanel, Skeleton } from './states.tsx'

export function PageLoaded<Value>(props: {
  query: { data: Value | undefined; error: Error | null; refetch: () => unknown }
  /** The title while loading: "Event". */
  title: string
  crumbs?: readonly Crumb[]
  children: (value: Value) => ReactNode
}) {
  const { data, error, refetch } = props.query
  if (data !== undefined) return props.children(data)
  return (
    <>
      <PageHead {...(props.crumbs === undefined ? {} : { crumbs: props.crumbs })} title={props.title} />
      {error === null ? <Skeleton rows={6} /> : <ErrorPanel error={error} retry={() => void refetch()} />}
    </>
  )
}

/** A page that requires a permission. Without it, the page shows the reason instead of its content. */
export function GuardedPage(props: { operation: string; title: string; children: () => ReactNode }) {
  const disabledReason = useDisabledReason()(props.operation)
  const isAllowed = useIsAllowed()(props.operation)
  if (isAllowed) return props.children()
  return (
    <>
      <PageHead title={props.title} />
      <Panel flush>
        {disabledReason === null ? (
          <Skeleton rows={6} />
        ) : (
          <Empty title="Only admins can view this page.">{disabledReason}</Empty>
        )}
      </Panel>
    </>
  )
}
