/** The audit log: who did what to which object, from where, and what changed. Never a secret. */
import type { AuditEntry } from '@switchyard/sdk'
import { lookAtMost, rowsOf, useLatest } from '../../../api/latest.ts'
import { words } from '../../../format/words.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Button } from '../../../ui/button.tsx'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { GuardedPage } from '../../../ui/page-loaded.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { rangeFilter, sinceOf } from '../../developers/range.ts'
import { useNames } from '../people/names.ts'
import { acts } from './acts.ts'
import { askedFor, detailsText, keeps } from './matching.ts'

const range = { ...rangeFilter, fallback: '30_days' }

const filters: readonly Filter[] = [
  { name: 'act', label: 'Act', options: acts, textOf: actText },
  { name: 'source', label: 'From', options: ['api', 'dashboard', 'system'] },
  { name: 'object', label: 'Object', placeholder: 'webhook_endpoint_test_…' },
  range,
]

export function Page() {
  return (
    <GuardedPage operation="audit_entries.list" title="Audit log">
      {() => <Entries />}
    </GuardedPage>
  )
}

function Entries() {
  const names = useNames()
  const { chosen, clear } = useFilters(filters)
  const wanted = chosen.range ?? '30_days'
  const asked = askedFor(chosen)
  const look = useLatest(['audit_entry', wanted, asked], (api, page) =>
    api.auditEntries.list({ ...page, ...asked, created_at: { gte: sinceOf(wanted) ?? undefined } }),
  )
  return (
    <>
      <PageHead title="Audit log" />
      <Panel
        flush
        title="Privileged acts"
        beside={look.data?.length === lookAtMost && <span>among the latest 1,000 of the range</span>}
      >
        <FilterBar filters={filters} />
        <DataTable
          label="Audit log"
          rows={rowsOf(look, keeps(chosen))}
          columns={columnsWith(names)}
          empty={
            <Empty title="No act matches." action={<Button onClick={clear}>Clear filters</Button>}>
              Drop a filter, or widen the range.
            </Empty>
          }
        />
      </Panel>
    </>
  )
}

function actText(act: string): string {
  return words(act.replace('.', ' '))
}

function columnsWith(names: (personId: string) => string): readonly Column<AuditEntry>[] {
  return [
    { title: 'Act', phone: true, cell: ({ act }) => actText(act) },
    { title: 'Who', phone: true, width: '150px', cell: (entry) => <Who entry={entry} names={names} /> },
    { title: 'Object', width: '270px', cell: ({ object_id }) => <ObjectLink id={object_id} /> },
    {
      title: 'What changed',
      cell: ({ details }) => <span title={detailsText(details)}>{detailsText(details)}</span>,
    },
    {
      title: 'Call',
      width: '150px',
      cell: ({ request_id }) => <ObjectLink id={request_id}>Open</ObjectLink>,
    },
    { title: 'Time', width: '130px', align: 'right', cell: ({ created_at }) => <Time at={created_at} /> },
  ]
}

function Who({ entry, names }: { entry: AuditEntry; names: (personId: string) => string }) {
  if (entry.person_id !== null) return names(entry.person_id)
  if (entry.api_token_id !== null) return `Token, ${entry.authority}`
  return 'Switchyard itself'
}
