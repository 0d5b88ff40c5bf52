/** Resolves a settlement line: a person decides what its amount was for. */
import type { ResolveSettlementLine, SettlementLine } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../api/queries.ts'
import { useApi } from '../../api/workspace.tsx'
import { ActionDialog } from '../../ui/action.tsx'
import { RadioField, TextArea } from '../../ui/fields.tsx'
import { differenceText } from './reconciliation-text.ts'

const options = [
  { value: 'payment', text: 'A payment or refund that was made elsewhere' },
  { value: 'fee', text: 'A provider fee' },
  { value: 'adjustment', text: 'Money paid to or received from the provider outside of payouts' },
  { value: 'ignored', text: 'Ignore: the amount stays in suspense' },
]

export function ResolveLine({ line, close }: { line: SettlementLine; close: () => void }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const isMissingThere = line.status === 'missing_there'
  const [resolution, setResolution] = useState(isMissingThere ? 'ignored' : 'payment')
  const [note, setNote] = useState('')
  const body = { resolution, note } as ResolveSettlementLine
  return (
    <ActionDialog
      title="Resolve line"
      intro={`${differenceText(line)}. Your decision is final and recorded in the audit log.`}
      submit="Resolve line"
      disabledReason={note.trim() === '' ? 'Add a note first.' : null}
      call={{
        method: 'POST',
        path: `/settlement-lines/${line.id}/resolve`,
        body,
        sdk: { method: 'settlementLines.resolve', args: [line.id, body] },
      }}
      run={(key) => api.settlementLines.resolve(line.id, body, key)}
      successMessage="Line resolved"
      onDone={() => {
        close()
        void invalidate('settlement_line', 'reconciliation', 'balance')
      }}
      onCancel={close}
    >
      <RadioField
        legend="What it is"
        value={resolution}
        onChange={setResolution}
        options={isMissingThere ? options.filter(({ value }) => value === 'ignored') : options}
      />
      <TextArea
        label="How you know"
        pointer="/note"
        hint="For the audit log: who confirmed it, and the case number."
        rows={3}
        value={note}
        onChange={setNote}
      />
    </ActionDialog>
  )
}
