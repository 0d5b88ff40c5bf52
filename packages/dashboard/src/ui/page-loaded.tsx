/** The page of one object, or what stands in its place: then too, it says where one is. */
import type { ReactNode } from 'react'
import { useIsAllowed, useMay } from '../api/workspace.tsx'
import { type Crumb, PageHead, Panel } from './panel.tsx'
import { Empty, ErrorPanel, Skeleton } from './states.tsx'

export function PageLoaded<Value>(props: {
  of: { data: Value | undefined; error: Error | null; refetch: () => unknown }
  /** What the page is about: "Event". */
  title: string
  /** Where one is. */
  crumbs?: readonly Crumb[]
  children: (value: Value) => ReactNode
}) {
  const { data, error, refetch } = props.of
  if (data !== undefined) return props.children(data)
  return (
    <>
      <PageHead {...(props.crumbs === undefined ? {} : { crumbs: props.crumbs })} title={props.title} />
      {error === null ? <Skeleton rows={6} /> : <ErrorPanel error={error} retry={() => void refetch()} />}
    </>
  )
}

/** A page that not every role opens. It stays in the navigation, and says why it is closed. */
export function GuardedPage(props: { operation: string; title: string; children: () => ReactNode }) {
  const refused = useMay()(props.operation)
  const isAllowed = useIsAllowed()(props.operation)
  if (isAllowed) return props.children()
  return (
    <>
      <PageHead title={props.title} />
      <Panel flush>
        {refused === null ? <Skeleton rows={6} /> : <Empty title="This page is for admins.">{refused}</Empty>}
      </Panel>
    </>
  )
}
