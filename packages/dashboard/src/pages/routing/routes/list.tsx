import type { PaymentRoute } from '@switchyard/sdk'
import { useState } from 'react'
import { useNewObjects } from '../../../api/live.ts'
import { useInvalidate, useRows } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { countText } from '../../../format/text.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { PageLink, useOpenPage } from '../../../ui/link.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Chip, Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { useAccountNames } from '../../accounts.ts'

const columns: readonly Column<PaymentRoute>[] = [
  { title: 'Route', cell: (route) => <RouteName route={route} />, phone: true },
  { title: 'Status', cell: (route) => <RouteStatus route={route} />, width: '34%', phone: true },
  { title: 'Rules', cell: ({ rules }) => countText(rules.length, 'rule'), width: '120px' },
  { title: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} />, width: '130px' },
]

function RouteName({ route: { id, name, is_default } }: { route: PaymentRoute }) {
  return (
    <span className="inline-flex items-center gap-2">
      <PageLink to={`/payment-routes/${id}`}>{name}</PageLink>
      {is_default && <Chip tone="info" text="Default" />}
    </span>
  )
}

/** The published revision, and whether there is a newer draft. */
export function RouteStatus({
  route: { status, revision, latest_revision: latest },
}: {
  route: PaymentRoute
}) {
  if (status === 'archived') return <Status status="archived" />
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      {revision !== null && <Status status="published">{`Revision ${revision} published`}</Status>}
      {latest !== revision && <Status status="draft">{`Draft, revision ${latest}`}</Status>}
    </span>
  )
}

export function Page() {
  const [isCreating, setCreating] = useState(false)
  const disabledReasonFor = useDisabledReason()
  const rows = useRows(['payment_route'], (api, page) => api.paymentRoutes.list(page))
  const create = (
    <Button
      variant="primary"
      disabledReason={disabledReasonFor('payment_routes.create')}
      onClick={() => setCreating(true)}
    >
      Create route
    </Button>
  )
  return (
    <>
      <PageHead title="Routes" actions={create}>
        <p className="mt-1 max-w-180 text-ink2">
          A route selects the provider account for a payment. Without a default route, accounts are tried in
          order of position.
        </p>
      </PageHead>
      <Panel flush>
        <DataTable
          label="Payment routes"
          columns={columns}
          rows={rows}
          to={({ id }) => `/payment-routes/${id}`}
          newObjects={useNewObjects('payment_route')}
          empty={
            <Empty title="No routes yet." action={create}>
              Provider accounts are tried in order of position until a default route is published.
            </Empty>
          }
        />
      </Panel>
      {isCreating && <CreateRoute close={() => setCreating(false)} />}
    </>
  )
}

function CreateRoute({ close }: { close: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const openPage = useOpenPage()
  const invalidate = useInvalidate()
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
      intro="The route starts as a draft that tries the active accounts in order of position. Payments are not affected until you publish it."
      submit="Create draft"
      disabledReason={
        disabledReasonFor('payment_routes.create') ??
        (targets.length === 0 ? 'There are no active provider accounts yet.' : null)
      }
      call={{
        method: 'POST',
        path: '/payment-routes',
        body,
        sdk: { method: 'paymentRoutes.create', args: [body] },
      }}
      run={async (key) => {
        const { id } = await api.paymentRoutes.create(body, key)
        await invalidate('payment_route')
        openPage(`/payment-routes/${id}`)
      }}
      successMessage="Draft saved"
      onDone={close}
      onCancel={close}
    >
      <TextField label="Name" value={name} onChange={setName} pointer="/name" autoFocus />
    </ActionDialog>
  )
}
