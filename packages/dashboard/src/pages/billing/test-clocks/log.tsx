/** The events on a clock, the oldest first. */
import type { TestClock, TestClockEntry } from '@switchyard/sdk'
import { useRows } from '../../../api/queries.ts'
import { dateTimeText } from '../../../format/time.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'

const columns: readonly Column<TestClockEntry>[] = [
  { title: 'Time', cell: ({ at }) => dateTimeText(at, true), width: '200px', phone: true },
  { title: 'Description', cell: ({ sentence }) => <span title={sentence}>{sentence}</span>, phone: true },
  {
    title: 'Type',
    cell: ({ type }) => <code className="font-mono text-compact">{type}</code>,
    width: '250px',
  },
  { title: 'Object', cell: ({ object_id }) => <ObjectLink id={object_id} />, width: '230px' },
]

export function ClockLog({ clock: { id, now_at, actions } }: { clock: TestClock }) {
  const rows = useRows(['test_clock', id, 'log', now_at, actions], (api, page) =>
    api.testClocks.timeline(id, page),
  )
  return (
    <Panel title="Log" titleExtra="test clock time, in UTC" flush>
      <DataTable
        label="Clock log"
        columns={columns}
        rows={rows}
        to={(entry) => `/events/${entry.id}`}
        empty={<Empty title="No events on this clock yet." />}
      />
    </Panel>
  )
}
