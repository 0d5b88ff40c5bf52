/** The usage alerts of a meter, with the last customer who reached each threshold. */
import type { Meter, UsageAlert } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject, useRows } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { CustomerName } from '../names.tsx'
import { usageText } from './meter-text.ts'

const columns: readonly Column<UsageAlert>[] = [
  { title: 'Alert', cell: ({ name }) => name, phone: true },
  { title: 'Threshold', cell: ({ threshold }) => usageText(threshold), width: '120px', phone: true },
  {
    title: 'Customer',
    cell: ({ customer_id: id }) => (id === null ? 'Each customer' : <CustomerName id={id} />),
  },
  {
    title: 'Status',
    cell: ({ active }) => <Status status={active ? 'active' : 'archived'} />,
    width: '110px',
  },
  { title: 'Last reached', cell: ({ id }) => <LastTrigger id={id} />, wide: true },
  { title: 'Actions', cell: (alert) => <ArchiveButton alert={alert} />, width: '120px', phone: true },
]

export function UsageAlerts({ meter }: { meter: Meter }) {
  const [isCreating, setCreating] = useState(false)
  const disabledReasonFor = useDisabledReason()
  const rows = useRows(['usage_alert', { meter_id: meter.id }], (api, page) =>
    api.usageAlerts.list({ meter_id: meter.id, ...page }),
  )
  const create = (
    <Button
      compact
      disabledReason={disabledReasonFor('usage_alerts.create')}
      onClick={() => setCreating(true)}
    >
      Create usage alert
    </Button>
  )
  return (
    <Panel title="Usage alerts" titleExtra={create} flush>
      <DataTable
        label="Usage alerts of this meter"
        columns={columns}
        rows={rows}
        empty={
          <Empty title="No usage alerts yet." action={create}>
            An alert emits an event when the usage of a customer reaches a threshold in a period.
          </Empty>
        }
      />
      {isCreating && <UsageAlertForm meter={meter} close={() => setCreating(false)} />}
    </Panel>
  )
}

function LastTrigger({ id }: { id: string }) {
  const { data } = useObject(
    ['usage_alert', id, 'last trigger'],
    async (api) => (await api.usageAlerts.triggers(id, { limit: 1 }).page()).data[0] ?? null,
    { refetchInterval: 30_000 },
  )
  if (data === undefined || data === null) return <span className="text-ink3">–</span>
  return (
    <>
      <CustomerName id={data.customer_id} />, <Time at={data.created_at} />
    </>
  )
}

function ArchiveButton({ alert: { id, active } }: { alert: UsageAlert }) {
  const [isOpen, setOpen] = useState(false)
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const disabledReason = disabledReasonFor('usage_alerts.update')
  const body = { active: !active }
  const title = active ? 'Archive usage alert' : 'Restore usage alert'
  const close = () => setOpen(false)
  return (
    <>
      <Button compact disabledReason={disabledReason} onClick={() => setOpen(true)}>
        {active ? 'Archive…' : 'Restore…'}
      </Button>
      {isOpen && (
        <ActionDialog
          title={title}
          intro={
            active
              ? 'The alert no longer triggers.'
              : 'The alert triggers again, at most once for each customer and period.'
          }
          submit={title}
          disabledReason={disabledReason}
          call={{
            method: 'PUT',
            path: `/usage-alerts/${id}`,
            body,
            sdk: { method: 'usageAlerts.update', args: [id, body] },
          }}
          run={async (key) => {
            await api.usageAlerts.update(id, body, key)
            await invalidate('usage_alert')
          }}
          successMessage={active ? 'Usage alert archived' : 'Usage alert restored'}
          onDone={close}
          onCancel={close}
        />
      )}
    </>
  )
}

function UsageAlertForm({ meter, close }: { meter: Meter; close: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [name, setName] = useState('')
  const [threshold, setThreshold] = useState('')
  const [customerId, setCustomerId] = useState('')
  const body = {
    meter_id: meter.id,
    name,
    threshold,
    ...(customerId === '' ? {} : { customer_id: customerId }),
  }
  return (
    <ActionDialog
      title="Create usage alert"
      intro="The event usage_alert.triggered is emitted once in each period in which the usage of a customer reaches the threshold. The threshold cannot be changed."
      submit="Create usage alert"
      disabledReason={disabledReasonFor('usage_alerts.create')}
      call={{
        method: 'POST',
        path: '/usage-alerts',
        body,
        sdk: { method: 'usageAlerts.create', args: [body] },
      }}
      run={async (key) => {
        await api.usageAlerts.create(body, key)
        await invalidate('usage_alert')
      }}
      successMessage="Usage alert created"
      onDone={close}
      onCancel={close}
    >
      <TextField label="Name" value={name} onChange={setName} pointer="/name" autoFocus />
      <TextField
        label="Threshold"
        value={threshold}
        onChange={setThreshold}
        hint="Usage in a period, for example 8000."
        pointer="/threshold"
      />
      <TextField
        label="Customer"
        value={customerId}
        onChange={setCustomerId}
        hint="Optional. The id of a customer. Empty: each customer."
        pointer="/customer_id"
      />
    </ActionDialog>
  )
}
