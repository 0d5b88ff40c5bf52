/** The history of a route: each revision with its author, what it changed, and a way back. */
import type { PaymentRoute, PaymentRouteRevision } from '@switchyard/sdk'
import { useState } from 'react'
import { useRows } from '../../../api/queries.ts'
import { useMay } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Chip, Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Id, Time } from '../../../ui/values.tsx'
import { Diff } from './diff.tsx'
import { RollBackDialog } from './publish.tsx'

type Open = { readonly number: number; readonly what: 'diff' | 'back' } | null

export function Revisions({ route }: { route: PaymentRoute }) {
  const [open, setOpen] = useState<Open>(null)
  const rows = useRows(
    ['payment_route', route.id, 'revisions', route.latest_revision, route.revision],
    (api, page) => api.paymentRoutes.revisions(route.id, page),
  )
  const close = () => setOpen(null)
  return (
    <>
      <DataTable
        label="Revisions of this route"
        columns={columnsOf(route, setOpen)}
        rows={rows}
        empty={<Empty title="There is no revision." />}
      />
      {open?.what === 'diff' && (
        <Dialog title={`What revision ${open.number} changed`} onClose={close} wide>
          <Diff routeId={route.id} revision={open.number} against={open.number - 1} />
        </Dialog>
      )}
      {open?.what === 'back' && <RollBackDialog route={route} number={open.number} close={close} />}
    </>
  )
}

function columnsOf(
  route: PaymentRoute,
  setOpen: (open: Open) => void,
): readonly Column<PaymentRouteRevision>[] {
  return [
    { title: 'Revision', cell: ({ number }) => number, width: '100px', phone: true },
    { title: 'Status', cell: (revision) => <RevisionStatus of={revision} route={route} />, phone: true },
    { title: 'Author', cell: ({ api_token_id: id }) => (id === null ? 'A person' : <Id id={id} />) },
    { title: 'Written', cell: ({ created_at }) => <Time at={created_at} />, width: '120px' },
    { title: 'Published', cell: ({ published_at }) => <Time at={published_at} />, width: '120px' },
    {
      title: 'Actions',
      cell: ({ number }) => <RevisionActs route={route} number={number} setOpen={setOpen} />,
      width: '220px',
      phone: true,
    },
  ]
}

function RevisionStatus({ of, route }: { of: PaymentRouteRevision; route: PaymentRoute }) {
  const { number, published_at, copy_of } = of
  const status = number === route.revision ? 'published' : published_at === null ? 'draft' : 'superseded'
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <Status of={status} />
      {copy_of !== null && <Chip tone="idle" text={`copy of ${copy_of}`} />}
    </span>
  )
}

function RevisionActs(props: { route: PaymentRoute; number: number; setOpen: (open: Open) => void }) {
  const { route, number, setOpen } = props
  const may = useMay()
  const isOlder = route.revision !== null && number < route.revision
  return (
    <span className="inline-flex gap-2">
      {number > 1 && (
        <Button
          compact
          aria-label={`Changes of revision ${number}`}
          onClick={() => setOpen({ number, what: 'diff' })}
        >
          Changes
        </Button>
      )}
      {isOlder && route.status === 'active' && (
        <Button
          compact
          aria-label={`Roll back to revision ${number}`}
          refused={may('payment_routes.publish')}
          onClick={() => setOpen({ number, what: 'back' })}
        >
          Roll back…
        </Button>
      )}
    </span>
  )
}
