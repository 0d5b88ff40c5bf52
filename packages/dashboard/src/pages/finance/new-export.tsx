/** The form for a new export. By default it exports the last month. */
import type { Export } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../api/queries.ts'
import { useApi, useDisabledReason } from '../../api/workspace.tsx'
import { ActionForm } from '../../ui/action.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { formatNames, formatsOf, lastMonth, sourceNames } from './export-text.ts'

const sourceOptions = Object.entries(sourceNames).map(([value, text]) => ({ value, text }))

export function NewExport({ source = 'journal', close }: { source?: string | undefined; close: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [of, setOf] = useState(source as Export['of'])
  const [format, setFormat] = useState<Export['format']>('csv')
  const [{ from, to }, setPeriod] = useState(() => lastMonth(new Date()))
  const body = { of, format, from, to }
  return (
    <Dialog title="New export" onClose={close} intro="The file is written in the background.">
      <ActionForm
        submit="Create export"
        disabledReason={disabledReasonFor('exports.create')}
        call={{ method: 'POST', path: '/exports', body, sdk: { method: 'exports.create', args: [body] } }}
        run={async (key) => {
          await api.exports.create(body, key)
          await invalidate('export')
        }}
        onDone={close}
        onCancel={close}
      >
        <SelectField
          label="Export"
          value={of}
          options={sourceOptions}
          onChange={(value) => {
            setOf(value as Export['of'])
            if (!formatsOf(value).includes(format)) setFormat('csv')
          }}
        />
        <SelectField
          label="Format"
          pointer="/format"
          value={format}
          options={formatsOf(of).map((value) => ({ value, text: formatNames[value] }))}
          onChange={(value) => setFormat(value as Export['format'])}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="First day (UTC)"
            pointer="/from"
            type="date"
            value={from}
            onChange={(value) => setPeriod({ from: value, to })}
          />
          <TextField
            label="Last day (UTC)"
            pointer="/to"
            type="date"
            value={to}
            onChange={(value) => setPeriod({ from, to: value })}
          />
        </div>
      </ActionForm>
    </Dialog>
  )
}
