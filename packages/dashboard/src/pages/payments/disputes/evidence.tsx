/** The evidence of a dispute: text fields and files. They can be changed while the dispute needs a response. */
import type { CreateFile, Dispute, UpdateDispute } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { sentenceCase } from '../../../format/text.ts'
import { ActionDialog, ActionForm } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { FileField, SelectField, TextArea, TextField } from '../../../ui/fields.tsx'
import { Facts } from '../../../ui/panel.tsx'
import { Id } from '../../../ui/values.tsx'
import { evidenceFieldsOf, fieldText, fileText, longFields, purposes } from './state.ts'

export function Evidence({ dispute }: { dispute: Dispute }) {
  const disabledReason = useDisabledReason()('disputes.update')
  const isOpen = dispute.status === 'needs_response'
  return (
    <div className="grid gap-6 p-4">
      <Files dispute={dispute} canChange={isOpen && disabledReason === null} />
      {isOpen && disabledReason === null ? (
        <EvidenceForm dispute={dispute} />
      ) : (
        <Facts facts={evidenceFieldsOf(dispute).map(([field, text]) => [fieldText(field), text])} />
      )}
    </div>
  )
}

function EvidenceForm({ dispute }: { dispute: Dispute }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const { id } = dispute
  const [texts, setTexts] = useState<{ readonly [field: string]: string }>({})
  const evidence = Object.fromEntries(
    Object.entries(texts).map(([field, text]) => [field, text.trim() === '' ? null : text.trim()]),
  )
  const body: UpdateDispute = { evidence }
  return (
    <ActionForm
      submit="Save evidence"
      call={{
        method: 'PUT',
        path: `/disputes/${id}`,
        body,
        sdk: { method: 'disputes.update', args: [id, body] },
      }}
      run={(key) => api.disputes.update(id, body, key)}
      successMessage="Evidence saved"
      onDone={() => void invalidate('dispute')}
    >
      <div className="grid grid-cols-1 gap-4 md:grid-cols-2">
        {evidenceFieldsOf(dispute).map(([field, text]) => (
          <EvidenceField
            key={field}
            field={field}
            value={texts[field] ?? text ?? ''}
            onChange={(value) => setTexts({ ...texts, [field]: value })}
          />
        ))}
      </div>
    </ActionForm>
  )
}

function EvidenceField(props: { field: string; value: string; onChange: (value: string) => void }) {
  const { field, value, onChange } = props
  const common = { label: fieldText(field), pointer: `/evidence/${field}`, value, onChange }
  if (!longFields.includes(field)) return <TextField {...common} />
  return (
    <div className="md:col-span-2">
      <TextArea {...common} rows={field === 'explanation' ? 6 : 3} />
    </div>
  )
}

function Files({ dispute, canChange }: { dispute: Dispute; canChange: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const isFull = dispute.file_ids.length >= 10
  return (
    <section className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-bold">Files</h2>
        {canChange && (
          <Button
            disabledReason={isFull ? 'Limit reached: at most 10 files.' : null}
            onClick={() => setOpen(true)}
          >
            Upload file…
          </Button>
        )}
      </div>
      {dispute.file_ids.length === 0 && <p className="text-ink2">No files.</p>}
      <ul className="grid gap-2">
        {dispute.file_ids.map((id) => (
          <FileRow key={id} id={id} dispute={dispute} canChange={canChange} />
        ))}
      </ul>
      {isOpen && <UploadFile dispute={dispute} close={() => setOpen(false)} />}
    </section>
  )
}

function FileRow({ id, dispute, canChange }: { id: string; dispute: Dispute; canChange: boolean }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const { data: file } = useObject(['file', id], (client, signal) => client.files.get(id, { signal }))
  const remove = async () => {
    await api.disputes.update(dispute.id, { file_ids: dispute.file_ids.filter((other) => other !== id) })
    await invalidate('dispute')
  }
  return (
    <li className="flex flex-wrap items-center justify-between gap-2 rounded-control border border-line p-2">
      <span className="min-w-0 break-words">{file === undefined ? <Id id={id} /> : fileText(file)}</span>
      {canChange && <Button onClick={() => void remove()}>Remove file</Button>}
    </li>
  )
}

function UploadFile({ dispute, close }: { dispute: Dispute; close: () => void }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const [purpose, setPurpose] = useState<CreateFile['purpose']>('receipt')
  const [file, setFile] = useState<File | null>(null)
  const upload = async (key: { idempotencyKey: string }) => {
    if (file === null) return
    const content = await toBase64(file)
    const stored = await api.files.create({ purpose, name: file.name, content }, key)
    await api.disputes.update(dispute.id, { file_ids: [...dispute.file_ids, stored.id] })
  }
  return (
    <ActionDialog
      title="Upload file"
      intro="PDF, JPEG or PNG, up to 5 MB. It is stored encrypted, and deleted 180 days after the dispute has ended."
      submit="Upload file"
      disabledReason={file === null ? 'Select a file.' : null}
      run={upload}
      successMessage="File uploaded"
      onDone={() => {
        close()
        void invalidate('dispute')
      }}
      onCancel={close}
    >
      <SelectField
        label="What it shows"
        pointer="/purpose"
        value={purpose}
        onChange={(value) => setPurpose(value as CreateFile['purpose'])}
        options={purposes.map((value) => ({ value, text: sentenceCase(value) }))}
      />
      <FileField label="File" pointer="/content" accept=".pdf,.jpg,.jpeg,.png" onChange={setFile} />
    </ActionDialog>
  )
}

/** The part of a data URL after its type. */
function toBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '')
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}
