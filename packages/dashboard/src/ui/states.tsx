/** The loading, empty and error states of a part of a page. */
import { SwitchyardError } from '@switchyard/sdk'
import type { ReactNode } from 'react'
import { SessionApiError } from '../session/session-api.ts'
import { Button } from './button.tsx'

export function Skeleton({ rows = 3 }: { rows?: number }) {
  const widths = ['w-3/4', 'w-1/2', 'w-2/3', 'w-5/6']
  return (
    <div role="status" aria-label="Loading" className="grid gap-3 p-4">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the placeholder rows are identical.
        <div key={row} className={`skeleton h-4 ${widths[row % widths.length]}`} />
      ))}
    </div>
  )
}

export function Empty(props: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="grid grid-cols-1 justify-items-start gap-3 p-4 py-8">
      <p className="text-sentence font-bold">{props.title}</p>
      {props.children !== undefined && <div className="w-full max-w-150 text-ink2">{props.children}</div>}
      {props.action}
    </div>
  )
}

/** An error message with its request id and a retry button. */
export function ErrorPanel({ error, retry }: { error: Error; retry?: () => void }) {
  const requestId = error instanceof SwitchyardError ? error.requestId : null
  return (
    <div role="alert" className="grid justify-items-start gap-2 rounded-panel bg-danger-soft p-4 text-danger">
      <p className="font-bold">{errorText(error)}</p>
      {requestId !== null && !error.message.includes(requestId) && (
        <p className="font-mono text-compact break-all">{requestId}</p>
      )}
      {retry !== undefined && (
        <Button compact onClick={retry}>
          Retry
        </Button>
      )}
    </div>
  )
}

export function errorText(error: Error): string {
  if (error instanceof SwitchyardError && error.code === 'version_mismatch')
    return 'Someone else has changed this since you opened it. Close this form, check the current values, and edit them again.'
  if (error instanceof SessionApiError || error instanceof SwitchyardError) return error.message
  return 'This part of the page failed to load. Reload the page. If it fails again, contact the operator of this server.'
}

/** The data of a query, or its loading or error state. */
export function Loaded<Value>(props: {
  query: { data: Value | undefined; error: Error | null; refetch: () => unknown }
  rows?: number
  children: (value: Value) => ReactNode
}) {
  const { data, error, refetch } = props.query
  if (data !== undefined) return props.children(data)
  if (error !== null) return <ErrorPanel error={error} retry={() => void refetch()} />
  return <Skeleton rows={props.rows ?? 3} />
}
