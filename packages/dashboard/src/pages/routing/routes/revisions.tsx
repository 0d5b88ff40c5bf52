/** The revisions of a route, with author, changes and rollback. */
import type { PaymentRoute, PaymentRouteRevision } from '@switchyard/sdk'
import { useState } from 'react'
import { useRows } from '../../../api/queries.ts'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Chip, Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Id, Time } from '../../../ui/values.tsx'
import { usePersonName } from '../../access/people/person-name.ts'
import { Diff } from './diff.tsx'
import { RollBackDialog } from './publish.tsx'

type Open = { readonly number: number; readonly dialog: 'diff' | 'rollback' } | null

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
        empty={<Empty title="No revisions yet." />}
      />
      {open?.dialog === 'diff' && (
        <Dialog title={`Changes in revision ${open.number}`} onClose={close} wide>
          <Diff routeId={route.id} revision={open.number} against={open.number - 1} />
        </Dialog>
      )}
      {open?.dialog === 'rollback' && <RollBackDialog route={route} number={open.number} close={close} />}
    </>
  )
}

function columnsOf(
  route: PaymentRoute,
  setOpen: (open: Open) => void,
): readonly Column<PaymentRouteRevision>[] {
  return [
    { title: 'Revision', cell: ({ number }) => number, width: '100px', phone: true },
    {
      title: 'Status',
      cell: (revision) => <RevisionStatus revision={revision} route={route} />,
      phone: true,
    },
    { title: 'Author', cell: (revision) => <Author revision={revision} /> },
    { title: 'Created', cell: ({ created_at }) => <Time at={created_at} />, width: '120px' },
    { title: 'Published', cell: ({ published_at }) => <Time at={published_at} />, width: '120px' },
    {
      title: 'Actions',
      cell: ({ number }) => <RevisionActions route={route} number={number} setOpen={setOpen} />,
      width: '220px',
      phone: true,
    },
  ]
}

function Author({
  revision: { api_token_id: token, person_id: person },
}: {
  revision: PaymentRouteRevision
}) {
  const nameOf = usePersonName()
  if (person !== null) return nameOf(person)
  return token === null ? 'Not recorded' : <Id id={token} />
}

function RevisionStatus({ revision, route }: { revision: PaymentRouteRevision; route: PaymentRoute }) {
  const { number, published_at, copy_of } = revision
  const status = number === route.revision ? 'published' : published_at === null ? 'draft' : 'superseded'
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <Status status={status} />
      {copy_of !== null && <Chip tone="neutral" text={`copy of ${copy_of}`} />}
    </span>
  )
}

function RevisionActions(props: { route: PaymentRoute; number: number; setOpen: (open: Open) => void }) {
  const { route, number, setOpen } = props
  const disabledReasonFor = useDisabledReason()
  const isOlder = route.revision !== null && number < route.revision
  return (
    <span className="inline-flex gap-2">
      {number > 1 && (
        <Button
          compact
          aria-label={`View changes in revision ${number}`}
          onClick={() => setOpen({ number, dialog: 'diff' })}
        >
          View changes
        </Button>
      )}
      {isOlder && route.status === 'active' && (
        <Button
          compact
          aria-label={`Roll back to revision ${number}`}
          disabledReason={disabledReasonFor('payment_routes.publish')}
          onClick={() => setOpen({ number, dialog: 'rollback' })}
        >
          Roll back…
        </Button>
      )}
    </span>
  )
}
