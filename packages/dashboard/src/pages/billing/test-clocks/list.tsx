import type { TestClock } from '@switchyard/sdk'
import { useState } from 'react'
import { useNewObjects } from '../../../api/live.ts'
import { useInvalidate, useRows } from '../../../api/queries.ts'
import { useApi, useDisabledReason, useWorkspace } from '../../../api/workspace.tsx'
import { dateTimeText } from '../../../format/time.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { PageLink, useOpenPage } from '../../../ui/link.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Id, Time } from '../../../ui/values.tsx'
import { dayStart } from '../subscriptions/actions/day-start.ts'
import { YearForm } from './year-form.tsx'

const columns: readonly Column<TestClock>[] = [
  {
    title: 'Clock',
    cell: ({ id, name }) => <PageLink to={`/test-clocks/${id}`}>{name ?? <Id id={id} />}</PageLink>,
    phone: true,
  },
  { title: 'Clock time', cell: ({ now_at }) => `${dateTimeText(now_at, true)} UTC`, width: '230px' },
  { title: 'Status', cell: ({ status }) => <Status status={status} />, width: '130px', phone: true },
  {
    title: 'Events',
    cell: ({ actions }) => actions.toLocaleString('en'),
    align: 'right',
    width: '150px',
  },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} />, width: '130px' },
]

export function Page() {
  const { workspace } = useWorkspace()
  const [isCreating, setCreating] = useState(false)
  const disabledReasonFor = useDisabledReason()
  const newObjects = useNewObjects('test_clock')
  if (workspace.mode === 'live') return <LiveWorkspaceNotice />
  const create = (
    <Button disabledReason={disabledReasonFor('test_clocks.create')} onClick={() => setCreating(true)}>
      Create test clock
    </Button>
  )
  return (
    <>
      <PageHead title="Test clocks" actions={create}>
        <p className="mt-1 max-w-180 text-ink2">
          Customers created on a test clock use its time. As you advance the clock, trials end, subscriptions
          renew and cards are charged.
        </p>
      </PageHead>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <YearForm />
        <Panel title="Clocks" flush>
          <Clocks newObjects={newObjects} create={create} />
        </Panel>
      </div>
      {isCreating && <CreateClock close={() => setCreating(false)} />}
    </>
  )
}

function Clocks(props: { newObjects: ReturnType<typeof useNewObjects>; create: React.ReactNode }) {
  const rows = useRows(['test_clock'], (api, page) => api.testClocks.list(page))
  return (
    <DataTable
      label="Test clocks"
      columns={columns}
      rows={rows}
      to={({ id }) => `/test-clocks/${id}`}
      newObjects={props.newObjects}
      empty={
        <Empty title="No test clocks yet." action={props.create}>
          Simulate a year above, or create a clock and assign your own customers to it.
        </Empty>
      }
    />
  )
}

function LiveWorkspaceNotice() {
  return (
    <>
      <PageHead title="Test clocks" />
      <Panel>
        <Empty title="Test clocks are not available in live workspaces.">
          Switch to a test workspace to simulate a year of billing.
        </Empty>
      </Panel>
    </>
  )
}

function CreateClock({ close }: { close: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const openPage = useOpenPage()
  const invalidate = useInvalidate()
  const [name, setName] = useState('')
  const [day, setDay] = useState('')
  const start = dayStart(day)
  const body = { ...(name === '' ? {} : { name }), ...(start === null ? {} : { now_at: start }) }
  return (
    <ActionDialog
      title="Create test clock"
      submit="Create test clock"
      disabledReason={disabledReasonFor('test_clocks.create')}
      call={{
        method: 'POST',
        path: '/test-clocks',
        body,
        sdk: { method: 'testClocks.create', args: [body] },
      }}
      run={async (key) => {
        const { id } = await api.testClocks.create(body, key)
        await invalidate('test_clock')
        openPage(`/test-clocks/${id}`)
      }}
      successMessage="Test clock created"
      onDone={close}
      onCancel={close}
    >
      <TextField label="Name" value={name} onChange={setName} pointer="/name" autoFocus />
      <TextField
        label="Start date"
        type="date"
        value={day}
        onChange={setDay}
        hint="Leave empty to start now."
        pointer="/now_at"
      />
    </ActionDialog>
  )
}
