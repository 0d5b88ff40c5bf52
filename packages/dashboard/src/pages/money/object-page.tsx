/** The page of one object: where one is stays readable while it is read, and when it is not there. */
import { useParams } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { useObject } from '../../api/queries.ts'
import type { useApi } from '../../api/workspace.tsx'
import { type Crumb, PageHead } from '../../ui/panel.tsx'
import { ErrorPanel, Skeleton } from '../../ui/states.tsx'

type Api = ReturnType<typeof useApi>

export function ObjectPage<Value extends { readonly id: string }>(props: {
  noun: string
  /** What it is called on the page: "Payment". */
  title: string
  list: Crumb
  read: (api: Api, id: string, signal: AbortSignal) => Promise<Value>
  children: (value: Value) => ReactNode
}) {
  const { id } = useParams({ strict: false }) as { id: string }
  const { data, error, refetch } = useObject([props.noun, id], (api, signal) => props.read(api, id, signal))
  // What stood here before is never shown under the address of another: somebody might act on it.
  if (data?.id === id) return <Fragment key={id}>{props.children(data)}</Fragment>
  return (
    <>
      <PageHead crumbs={[props.list, { text: id }]} title={props.title} />
      {error === null ? <Skeleton rows={6} /> : <ErrorPanel error={error} retry={() => void refetch()} />}
    </>
  )
}
