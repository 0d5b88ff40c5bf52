import type { TestClock } from '@switchyard/sdk'
import { useState } from 'react'
import { useFresh } from '../../../api/live.ts'
import { useReread, useRows } from '../../../api/queries.ts'
import { useApi, useHere, useMay } from '../../../api/workspace.tsx'
import { dateTimeText } from '../../../format/time.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { PageLink, useGo } from '../../../ui/link.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Id, Time } from '../../../ui/values.tsx'
import { dayStart } from '../subscriptions/acts/day-start.ts'
import { YearForm } from './year-form.tsx'

const columns: readonly Column<TestClock>[] = [
  {
    title: 'Clock',
    cell: ({ id, name }) => <PageLink to={`/test-clocks/${id}`}>{name ?? <Id id={id} />}</PageLink>,
    phone: true,
  },
  { title: 'Its time', cell: ({ now_at }) => `${dateTimeText(now_at, true)} UTC`, width: '230px' },
  { title: 'Status', cell: ({ status }) => <Status of={status} />, width: '130px', phone: true },
  {
    title: 'Happened by itself',
    cell: ({ actions }) => actions.toLocaleString('en'),
    align: 'right',
    width: '150px',
  },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} />, width: '130px' },
]

export function Page() {
  const { workspace } = useHere()
  const [isMaking, setMaking] = useState(false)
  const may = useMay()
  const fresh = useFresh('test_clock')
  if (workspace.mode === 'live') return <NotHere />
  const create = (
    <Button refused={may('test_clocks.create')} onClick={() => setMaking(true)}>
      Create test clock
    </Button>
  )
  return (
    <>
      <PageHead title="Test clocks" actions={create}>
        <p className="mt-1 max-w-180 text-ink2">
          Customers that are created with a clock live in its time: trials end, subscriptions renew and cards
          are charged as fast as you move it.
        </p>
      </PageHead>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <YearForm />
        <Panel title="Clocks" flush>
          <Clocks fresh={fresh} create={create} />
        </Panel>
      </div>
      {isMaking && <CreateClock close={() => setMaking(false)} />}
    </>
  )
}

function Clocks(props: { fresh: ReturnType<typeof useFresh>; create: React.ReactNode }) {
  const rows = useRows(['test_clock'], (api, page) => api.testClocks.list(page))
  return (
    <DataTable
      label="Test clocks"
      columns={columns}
      rows={rows}
      to={({ id }) => `/test-clocks/${id}`}
      fresh={props.fresh}
      empty={
        <Empty title="There is no test clock yet." action={props.create}>
          Live a year above, or make a clock and put customers of your own on it.
        </Empty>
      }
    />
  )
}

function NotHere() {
  return (
    <>
      <PageHead title="Test clocks" />
      <Panel>
        <Empty title="There are no test clocks in production: time passes by itself here.">
          Switch to a test workspace to try out what a year of billing does.
        </Empty>
      </Panel>
    </>
  )
}

function CreateClock({ close }: { close: () => void }) {
  const api = useApi()
  const may = useMay()
  const go = useGo()
  const reread = useReread()
  const [name, setName] = useState('')
  const [day, setDay] = useState('')
  const start = dayStart(day)
  const body = { ...(name === '' ? {} : { name }), ...(start === null ? {} : { now_at: start }) }
  return (
    <ActionDialog
      title="Create test clock"
      submit="Create test clock"
      refused={may('test_clocks.create')}
      call={{
        method: 'POST',
        path: '/test-clocks',
        body,
        sdk: { method: 'testClocks.create', args: [body] },
      }}
      run={async (key) => {
        const { id } = await api.testClocks.create(body, key)
        await reread('test_clock')
        go(`/test-clocks/${id}`)
      }}
      done="The clock stands ready."
      onDone={close}
      onCancel={close}
    >
      <TextField label="What it is for" value={name} onChange={setName} pointer="/name" autoFocus />
      <TextField
        label="The day it begins with"
        type="date"
        value={day}
        onChange={setDay}
        hint="Without one, now."
        pointer="/now_at"
      />
    </ActionDialog>
  )
}
