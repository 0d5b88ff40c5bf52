/** The buckets that the changes of each day are exported to, and the newest daily exports. */
import type { Export, ExportDestination } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useRows } from '../../api/queries.ts'
import { useApi, useDisabledReason } from '../../api/workspace.tsx'
import { countText } from '../../format/text.ts'
import { dateText } from '../../format/time.ts'
import { ActionDialog } from '../../ui/action.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Panel } from '../../ui/panel.tsx'
import { errorText } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { type Column, DataTable } from '../../ui/table.tsx'
import { useToast } from '../../ui/toast.tsx'
import { Time } from '../../ui/values.tsx'
import { DestinationForm } from './destination-form.tsx'
import { formatNames, sizeText, sourceNames } from './export-text.ts'

type Opened =
  | { readonly what: 'create' }
  | { readonly what: 'edit' | 'delete' | 'days'; readonly destination: ExportDestination }

export function ExportDestinations() {
  const disabledReasonFor = useDisabledReason()
  const [opened, setOpened] = useState<Opened | null>(null)
  const rows = useRows(['export_destination'], (api, page) => api.exportDestinations.list(page))
  const close = () => setOpened(null)
  return (
    <>
      <Panel
        title="Daily exports"
        titleExtra={
          <Button
            compact
            disabledReason={disabledReasonFor('export_destinations.create')}
            onClick={() => setOpened({ what: 'create' })}
          >
            Add destination
          </Button>
        }
        flush
      >
        <DataTable
          label="Daily exports"
          columns={columnsWith(setOpened)}
          rows={rows}
          empty={
            <p className="p-4 text-ink2">
              Add an S3-compatible bucket to export the changes of each day to it automatically.
            </p>
          }
        />
      </Panel>
      {opened?.what === 'create' && <DestinationForm destination={null} close={close} />}
      {opened?.what === 'edit' && <DestinationForm destination={opened.destination} close={close} />}
      {opened?.what === 'delete' && <DeleteDestination destination={opened.destination} close={close} />}
      {opened?.what === 'days' && <Days destination={opened.destination} close={close} />}
    </>
  )
}

const nameOf = ({ name, bucket }: ExportDestination) => name ?? bucket

const columnsWith = (open: (opened: Opened) => void): readonly Column<ExportDestination>[] => [
  {
    title: 'Destination',
    phone: true,
    cell: (destination) => (
      <>
        {nameOf(destination)}
        <span className="block text-compact break-all text-ink2">
          {destination.endpoint_url}/{destination.bucket}
          {destination.prefix === null ? '' : `/${destination.prefix}`}
        </span>
      </>
    ),
  },
  {
    title: 'Contents',
    cell: ({ of, format }) => (
      <>
        {of.map((source) => sourceNames[source]).join(', ')}
        <span className="block text-compact text-ink2">{formatNames[format]}</span>
      </>
    ),
  },
  {
    title: 'Status',
    phone: true,
    cell: ({ status, error }) => (
      <>
        <Status status={status} />
        {error !== null && <span className="block text-compact text-ink2">{error.message}</span>}
      </>
    ),
  },
  {
    title: 'Last success',
    width: '130px',
    cell: ({ last_success_at: at }) =>
      at === null ? <span className="text-ink3">–</span> : <Time at={at} />,
  },
  {
    title: 'Actions',
    align: 'right',
    phone: true,
    cell: (destination) => <Actions destination={destination} open={open} />,
  },
]

function Actions(props: { destination: ExportDestination; open: (opened: Opened) => void }) {
  const { destination, open } = props
  const api = useApi()
  const toast = useToast()
  const invalidate = useInvalidate()
  const disabledReasonFor = useDisabledReason()
  const check = async () => {
    try {
      const { error } = await api.exportDestinations.check(destination.id)
      toast(error?.message ?? 'Switchyard can write to the bucket.')
      await invalidate('export_destination')
    } catch (error) {
      toast(errorText(error as Error))
    }
  }
  return (
    <span className="flex flex-wrap justify-end gap-1">
      <Button compact onClick={() => open({ what: 'days', destination })}>
        Show days
      </Button>
      <Button
        compact
        disabledReason={disabledReasonFor('export_destinations.check')}
        onClick={() => void check()}
      >
        Check access
      </Button>
      <Button
        compact
        disabledReason={disabledReasonFor('export_destinations.update')}
        onClick={() => open({ what: 'edit', destination })}
      >
        Edit destination
      </Button>
      <Button
        compact
        disabledReason={disabledReasonFor('export_destinations.delete')}
        onClick={() => open({ what: 'delete', destination })}
      >
        Delete destination
      </Button>
    </span>
  )
}

function DeleteDestination({ destination, close }: { destination: ExportDestination; close: () => void }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const { id } = destination
  return (
    <ActionDialog
      title="Delete destination"
      intro={`Daily exports to ${nameOf(destination)} stop. Files that are already in the bucket are kept.`}
      submit="Delete destination"
      danger
      cancelLabel="Keep destination"
      call={{
        method: 'DELETE',
        path: `/export-destinations/${id}`,
        sdk: { method: 'exportDestinations.delete', args: [id] },
      }}
      run={() => api.exportDestinations.delete(id)}
      successMessage="Destination deleted"
      onDone={() => {
        close()
        void invalidate('export_destination')
      }}
      onCancel={close}
    />
  )
}

function Days({ destination, close }: { destination: ExportDestination; close: () => void }) {
  const rows = useRows(['export', destination.id], (api, page) =>
    api.exports.list({ export_destination_id: destination.id, ...page }),
  )
  return (
    <Dialog
      title={`Days exported to ${nameOf(destination)}`}
      intro={`Next day: ${dateText(destination.next_day, true)}. A day is exported 30 minutes after its end (UTC).`}
      onClose={close}
      wide
    >
      <DataTable
        label="Days"
        columns={dayColumns}
        rows={rows}
        empty={<p className="p-4 text-ink2">No day has ended since the destination was added.</p>}
      />
    </Dialog>
  )
}

const dayColumns: readonly Column<Export>[] = [
  { title: 'Day', phone: true, cell: ({ from }) => dateText(from, true) },
  { title: 'Export', phone: true, cell: ({ of }) => sourceNames[of] },
  {
    title: 'Status',
    phone: true,
    cell: ({ status, upload }) => (
      <>
        <Status status={status} />
        {upload?.error && <span className="block text-compact text-ink2">{upload.error.message}</span>}
      </>
    ),
  },
  {
    title: 'File',
    align: 'right',
    cell: ({ rows, file }) => (file === null ? '–' : `${countText(rows, 'row')}, ${sizeText(file.bytes)}`),
  },
]
