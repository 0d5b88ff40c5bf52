/** The page of one object, with breadcrumbs even while it loads or if it is not found. */
import { useParams } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { useObject } from '../../api/queries.ts'
import type { useApi } from '../../api/workspace.tsx'
import { PageLoaded } from '../../ui/page-loaded.tsx'
import type { Crumb } from '../../ui/panel.tsx'

type Api = ReturnType<typeof useApi>

export function ObjectPage<Value extends { readonly id: string }>(props: {
  noun: string
  /** The title of the page: "Payment". */
  title: string
  list: Crumb
  read: (api: Api, id: string, signal: AbortSignal) => Promise<Value>
  children: (value: Value) => ReactNode
}) {
  const { id } = useParams({ strict: false }) as { id: string }
  const query = useObject([props.noun, id], (api, signal) => props.read(api, id, signal))
  return (
    <PageLoaded query={query} title={props.title} crumbs={[props.list, { text: id }]}>
      {(value) => <Fragment key={id}>{props.children(value)}</Fragment>}
    </PageLoaded>
  )
}
