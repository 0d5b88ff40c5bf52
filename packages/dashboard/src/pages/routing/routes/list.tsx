import type { PaymentRoute } from '@switchyard/sdk'
import { useState } from 'react'
import { useFresh } from '../../../api/live.ts'
import { useReread, useRows } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { counted } from '../../../format/words.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { PageLink, useGo } from '../../../ui/link.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Chip, Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { useAccountNames } from '../../accounts.ts'

const columns: readonly Column<PaymentRoute>[] = [
  { title: 'Route', cell: (route) => <Name of={route} />, phone: true },
  { title: 'Status', cell: (route) => <RouteChips of={route} />, width: '34%', phone: true },
  { title: 'Rules', cell: ({ rules }) => counted(rules.length, 'rule'), width: '120px' },
  { title: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} />, width: '130px' },
]

function Name({ of: { id, name, is_default } }: { of: PaymentRoute }) {
  return (
    <span className="inline-flex items-center gap-2">
      <PageLink to={`/payment-routes/${id}`}>{name}</PageLink>
      {is_default && <Chip tone="lock" text="Default" />}
    </span>
  )
}

/** What is published, and whether there is a newer draft. */
export function RouteChips({ of: { status, revision, latest_revision: latest } }: { of: PaymentRoute }) {
  if (status === 'archived') return <Status of="archived" />
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      {revision !== null && <Status of="published">{`Revision ${revision} published`}</Status>}
      {latest !== revision && <Status of="draft">{`Draft, revision ${latest}`}</Status>}
    </span>
  )
}

export function Page() {
  const [isMaking, setMaking] = useState(false)
  const may = useMay()
  const rows = useRows(['payment_route'], (api, page) => api.paymentRoutes.list(page))
  const create = (
    <Button look="primary" refused={may('payment_routes.create')} onClick={() => setMaking(true)}>
      Create route
    </Button>
  )
  return (
    <>
      <PageHead title="Routes" actions={create}>
        <p className="mt-1 max-w-180 text-ink2">
          A route says which provider account a payment is sent to. Without one, accounts are asked in their
          order.
        </p>
      </PageHead>
      <Panel flush>
        <DataTable
          label="Payment routes"
          columns={columns}
          rows={rows}
          to={({ id }) => `/payment-routes/${id}`}
          fresh={useFresh('payment_route')}
          empty={
            <Empty title="There is no route yet." action={create}>
              Payments go to the accounts in their order until one is published.
            </Empty>
          }
        />
      </Panel>
      {isMaking && <CreateRoute close={() => setMaking(false)} />}
    </>
  )
}

function CreateRoute({ close }: { close: () => void }) {
  const api = useApi()
  const may = useMay()
  const go = useGo()
  const reread = useReread()
  const { accounts } = useAccountNames()
  const [name, setName] = useState('')
  const targets = accounts
    .filter(({ status }) => status === 'active')
    .toSorted((a, b) => a.position - b.position)
    .map(({ id }) => id)
  const body = { name, default: { type: 'priority' as const, targets }, draft: true }
  return (
    <ActionDialog
      title="Create route"
      intro="It begins as a draft that asks the active accounts in their order. Nothing changes for payments before it is published."
      submit="Create draft"
      refused={
        may('payment_routes.create') ??
        (targets.length === 0 ? 'There is no active provider account yet.' : null)
      }
      call={{
        method: 'POST',
        path: '/payment-routes',
        body,
        sdk: { method: 'paymentRoutes.create', args: [body] },
      }}
      run={async (key) => {
        const { id } = await api.paymentRoutes.create(body, key)
        await reread('payment_route')
        go(`/payment-routes/${id}`)
      }}
      done="The draft is saved."
      onDone={close}
      onCancel={close}
    >
      <TextField label="Name" value={name} onChange={setName} pointer="/name" autoFocus />
    </ActionDialog>
  )
}
