/** The form for a destination of daily exports. The secret is write-only. */
import type { CreateExportDestination, ExportDestination } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../api/queries.ts'
import { useApi } from '../../api/workspace.tsx'
import { ActionDialog } from '../../ui/action.tsx'
import { CheckField, SelectField, TextField } from '../../ui/fields.tsx'
import { dailySources, formatNames, sourceNames } from './export-text.ts'

type Draft = {
  readonly name: string
  readonly endpoint_url: string
  readonly region: string
  readonly bucket: string
  readonly prefix: string
  readonly access_key_id: string
  readonly secret_access_key: string
  readonly format: ExportDestination['format']
  readonly of: ExportDestination['of']
}

const emptyDraft: Draft = {
  name: '',
  endpoint_url: '',
  region: '',
  bucket: '',
  prefix: 'switchyard',
  access_key_id: '',
  secret_access_key: '',
  format: 'parquet',
  of: ['payments', 'refunds', 'journal'],
}

const draftOf = (destination: ExportDestination): Draft => ({
  ...destination,
  name: destination.name ?? '',
  prefix: destination.prefix ?? '',
  secret_access_key: '',
})

/** If the secret is empty, the stored secret is kept. */
function bodyOf(draft: Draft): CreateExportDestination {
  const { endpoint_url, region, bucket, access_key_id, secret_access_key, format, of } = draft
  return {
    name: draft.name === '' ? null : draft.name,
    endpoint_url,
    region,
    bucket,
    prefix: draft.prefix === '' ? null : draft.prefix,
    access_key_id,
    ...(secret_access_key === '' ? {} : { secret_access_key }),
    of,
    format,
  } as CreateExportDestination
}

export function DestinationForm(props: { destination: ExportDestination | null; close: () => void }) {
  const { destination, close } = props
  const api = useApi()
  const invalidate = useInvalidate()
  const [draft, setDraft] = useState(destination === null ? emptyDraft : draftOf(destination))
  const body = bodyOf(draft)
  // The secret is not part of the code that is shown.
  const shown = 'secret_access_key' in body ? { ...body, secret_access_key: '…' } : body
  const id = destination?.id ?? null
  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes })
  return (
    <ActionDialog
      title={id === null ? 'Add destination' : 'Edit destination'}
      intro="The changes of each day are exported to a bucket of S3-compatible storage. The access key needs only the permission to write objects."
      submit={id === null ? 'Add destination' : 'Save destination'}
      call={
        id === null
          ? {
              method: 'POST',
              path: '/export-destinations',
              body: shown,
              sdk: { method: 'exportDestinations.create', args: [shown] },
            }
          : {
              method: 'PUT',
              path: `/export-destinations/${id}`,
              body: shown,
              sdk: { method: 'exportDestinations.update', args: [id, shown] },
            }
      }
      run={(key) =>
        id === null ? api.exportDestinations.create(body, key) : api.exportDestinations.update(id, body, key)
      }
      successMessage={id === null ? 'Destination added' : 'Destination saved'}
      onDone={() => {
        close()
        void invalidate('export_destination')
      }}
      onCancel={close}
    >
      <BucketFields draft={draft} change={change} hasSecret={id !== null} />
      <ContentFields draft={draft} change={change} />
    </ActionDialog>
  )
}

type FieldsProps = { readonly draft: Draft; readonly change: (changes: Partial<Draft>) => void }

function BucketFields({ draft, change, hasSecret }: FieldsProps & { readonly hasSecret: boolean }) {
  const text = (name: keyof Draft & string) => ({
    pointer: `/${name}`,
    value: String(draft[name]),
    onChange: (value: string) => change({ [name]: value }),
  })
  return (
    <>
      <TextField label="Name" hint="Optional label" {...text('name')} />
      <TextField
        label="Endpoint URL"
        type="url"
        placeholder="https://s3.eu-central-1.amazonaws.com"
        {...text('endpoint_url')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Region" placeholder="eu-central-1" {...text('region')} />
        <TextField label="Bucket" {...text('bucket')} />
      </div>
      <TextField
        label="Folder"
        hint="Leave empty to write to the top level of the bucket."
        {...text('prefix')}
      />
      <TextField label="Access key ID" mono {...text('access_key_id')} />
      <TextField
        label="Secret access key"
        type="password"
        autoComplete="new-password"
        hint={
          hasSecret
            ? 'Leave empty to keep the stored secret. It is required again for a new URL or key.'
            : 'It is stored encrypted and never shown again.'
        }
        {...text('secret_access_key')}
      />
    </>
  )
}

function ContentFields({ draft, change }: FieldsProps) {
  const toggle = (source: Draft['of'][number], isChosen: boolean) =>
    change({ of: isChosen ? [...draft.of, source] : draft.of.filter((name) => name !== source) })
  return (
    <>
      <SelectField
        label="Format"
        value={draft.format}
        options={(['parquet', 'csv'] as const).map((value) => ({ value, text: formatNames[value] }))}
        onChange={(value) => change({ format: value as Draft['format'] })}
      />
      <fieldset className="grid gap-2">
        <legend className="mb-1 font-bold">Contents</legend>
        {dailySources.map((source) => (
          <CheckField
            key={source}
            label={sourceNames[source]}
            checked={draft.of.includes(source)}
            onChange={(isChosen) => toggle(source, isChosen)}
          />
        ))}
      </fieldset>
    </>
  )
}
