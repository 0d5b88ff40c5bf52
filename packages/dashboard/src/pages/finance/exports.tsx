/** Exports: files with the objects of a period, with their progress and sums. */
import type { Export } from '@switchyard/sdk'
import { useState } from 'react'
import { useNewObjects } from '../../api/live.ts'
import { useRows } from '../../api/queries.ts'
import { useApi, useDisabledReason } from '../../api/workspace.tsx'
import { moneyText } from '../../format/money.ts'
import { countText, sentenceCase } from '../../format/text.ts'
import { dateText } from '../../format/time.ts'
import { Button } from '../../ui/button.tsx'
import { type Filter, useFilters } from '../../ui/filters.tsx'
import { PageHead, Panel } from '../../ui/panel.tsx'
import { Progress } from '../../ui/progress.tsx'
import { Empty, errorText } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { type Column, DataTable } from '../../ui/table.tsx'
import { useToast } from '../../ui/toast.tsx'
import { Time } from '../../ui/values.tsx'
import { ExportDestinations } from './export-destinations.tsx'
import { formatNames, sizeText, sourceNames } from './export-text.ts'
import { JournalSettingsDialog } from './journal-settings.tsx'
import { NewExport } from './new-export.tsx'

/** Other pages link here with the type of object to export. */
const linked: readonly Filter[] = [{ name: 'of', label: 'New export of', options: Object.keys(sourceNames) }]
/** Progress emits no events, so the page polls. */
const refetchMs = 2_000

export function Page() {
  const disabledReasonFor = useDisabledReason()
  const { filterValues } = useFilters(linked)
  const [isCreating, setCreating] = useState(filterValues.of !== undefined)
  const rows = useRows(['export'], (api, page) => api.exports.list(page), { refetchInterval: refetchMs })
  const [isEditingSettings, setEditingSettings] = useState(false)
  const create = (
    <Button
      variant="primary"
      disabledReason={disabledReasonFor('exports.create')}
      onClick={() => setCreating(true)}
    >
      New export
    </Button>
  )
  return (
    <>
      <PageHead
        title="Exports"
        actions={
          <>
            <Button onClick={() => setEditingSettings(true)}>Journal settings</Button>
            {create}
          </>
        }
      >
        <p className="mt-1 max-w-180 text-ink2">
          Files for spreadsheets, accounting software and data warehouses. Each file is stored for 7 days.
        </p>
      </PageHead>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Panel flush>
          <DataTable
            label="Exports"
            columns={columns}
            rows={rows}
            newObjects={useNewObjects('export')}
            empty={
              <Empty title="No exports yet." action={create}>
                Export the journal of a month to close it in your accounting software.
              </Empty>
            }
          />
        </Panel>
        <ExportDestinations />
      </div>
      {isEditingSettings && <JournalSettingsDialog close={() => setEditingSettings(false)} />}
      {isCreating && <NewExport source={filterValues.of} close={() => setCreating(false)} />}
    </>
  )
}

const columns: readonly Column<Export>[] = [
  {
    title: 'Export',
    phone: true,
    cell: ({ of, format }) => (
      <>
        {sourceNames[of]}
        <span className="block text-compact text-ink2">{formatNames[format]}</span>
      </>
    ),
  },
  {
    title: 'Period',
    cell: ({ from, to }) => `${dateText(from, true)} – ${dateText(to, true)}`,
  },
  { title: 'Status', width: '190px', phone: true, cell: (exported) => <State exported={exported} /> },
  { title: 'Sums', cell: ({ sums }) => <Sums sums={sums} /> },
  { title: 'Created', align: 'right', width: '130px', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: 'File',
    align: 'right',
    width: '150px',
    phone: true,
    cell: (exported) => <Download exported={exported} />,
  },
]

function State({ exported: { status, progress, rows, failure } }: { exported: Export }) {
  if (status === 'running') return <Progress label="Running" done={progress.done} total={progress.total} />
  return (
    <>
      <Status status={status} />
      <span className="block text-compact text-ink2">
        {failure === null ? countText(rows, 'row') : sentenceCase(failure)}
      </span>
    </>
  )
}

function Sums({ sums }: { sums: Export['sums'] }) {
  return (
    <ul className="text-compact text-ink2">
      {sums
        .filter(({ amount }) => amount !== 0)
        .map(({ column, currency, amount }) => (
          <li key={`${column} ${currency}`}>
            {sentenceCase(column)}: {moneyText(amount, currency)} {currency.toUpperCase()}
          </li>
        ))}
    </ul>
  )
}

function Download({ exported: { id, file, status, expires_at } }: { exported: Export }) {
  const api = useApi()
  const toast = useToast()
  const disabledReasonFor = useDisabledReason()
  if (status !== 'completed' || file === null) return <span className="text-ink3">–</span>
  if (expires_at !== null && Date.parse(expires_at) <= Date.now())
    return <span className="text-ink3">Expired</span>
  const download = async () => {
    try {
      window.location.assign((await api.exports.download(id)).url)
    } catch (error) {
      toast(errorText(error as Error))
    }
  }
  return (
    <>
      <Button compact disabledReason={disabledReasonFor('exports.download')} onClick={() => void download()}>
        Download file
      </Button>
      <span className="block text-compact text-ink2">{sizeText(file.bytes)}</span>
    </>
  )
}
