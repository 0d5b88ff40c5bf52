/** The audit log: actor, action, object, source and changes. It never contains secrets. */
import type { AuditEntry } from '@switchyard/sdk'
import { maxLatest, rowsOf, useLatest } from '../../../api/latest.ts'
import { sentenceCase } from '../../../format/text.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Button } from '../../../ui/button.tsx'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { GuardedPage } from '../../../ui/page-loaded.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { rangeFilter, sinceOf } from '../../range.ts'
import { usePersonName } from '../people/person-name.ts'
import { auditActions } from './audit-actions.ts'
import { apiFiltersOf, detailsText, matchesFilters } from './matching.ts'

const auditRangeFilter = { ...rangeFilter, fallback: '30_days' }

const filters: readonly Filter[] = [
  { name: 'act', label: 'Action', options: auditActions, optionText: actionText },
  { name: 'source', label: 'Source', options: ['api', 'dashboard', 'system'] },
  { name: 'object', label: 'Object', placeholder: 'webhook_endpoint_test_…' },
  auditRangeFilter,
]

export function Page() {
  return (
    <GuardedPage operation="audit_entries.list" title="Audit log">
      {() => <Entries />}
    </GuardedPage>
  )
}

function Entries() {
  const personName = usePersonName()
  const { filterValues, clear } = useFilters(filters)
  const range = filterValues.range ?? '30_days'
  const apiFilters = apiFiltersOf(filterValues)
  const query = useLatest(['audit_entry', range, apiFilters], (api, page) =>
    api.auditEntries.list({ ...page, ...apiFilters, created_at: { gte: sinceOf(range) ?? undefined } }),
  )
  return (
    <>
      <PageHead title="Audit log" />
      <Panel
        flush
        title="Admin actions"
        titleExtra={query.data?.length === maxLatest && <span>from the latest 1,000 in this range</span>}
      >
        <FilterBar filters={filters} />
        <DataTable
          label="Audit log"
          rows={rowsOf(query, matchesFilters(filterValues))}
          columns={columnsOf(personName)}
          empty={
            <Empty title="No matching actions." action={<Button onClick={clear}>Clear filters</Button>}>
              Remove a filter, or choose a longer time range.
            </Empty>
          }
        />
      </Panel>
    </>
  )
}

function actionText(act: string): string {
  return sentenceCase(act.replace('.', ' '))
}

function columnsOf(personName: (personId: string) => string): readonly Column<AuditEntry>[] {
  return [
    { title: 'Action', phone: true, cell: ({ act }) => actionText(act) },
    {
      title: 'Actor',
      phone: true,
      width: '150px',
      cell: (entry) => <Actor entry={entry} personName={personName} />,
    },
    { title: 'Object', width: '270px', cell: ({ object_id }) => <ObjectLink id={object_id} /> },
    {
      title: 'Changes',
      cell: ({ details }) => <span title={detailsText(details)}>{detailsText(details)}</span>,
    },
    {
      title: 'Request',
      width: '150px',
      cell: ({ request_id }) => <ObjectLink id={request_id}>Open request</ObjectLink>,
    },
    { title: 'Time', width: '130px', align: 'right', cell: ({ created_at }) => <Time at={created_at} /> },
  ]
}

function Actor({ entry, personName }: { entry: AuditEntry; personName: (personId: string) => string }) {
  if (entry.person_id !== null) return personName(entry.person_id)
  if (entry.api_token_id !== null) return `Token, ${entry.authority}`
  return 'System'
}
