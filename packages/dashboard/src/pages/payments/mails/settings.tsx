/** The e-mail settings: sender, and the wording and the preview of each kind. */
import type { MailSettings } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { type Column, PlainTable } from '../../../ui/plain-table.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Chip } from '../../../ui/status.tsx'
import { EditKind } from './edit-kind.tsx'
import { kindName, kindTime, type MailKind, mailKinds } from './kind-text.ts'

export function MailSettingsView() {
  const settings = useObject(['mail_settings', 'settings'], (api) => api.mailSettings.get())
  return <Loaded query={settings}>{(loaded) => <Settings settings={loaded} />}</Loaded>
}

function Settings({ settings }: { settings: MailSettings }) {
  const [open, setOpen] = useState<MailKind | 'sender' | null>(null)
  const disabledReason = useDisabledReason()('mail_settings.update')
  const close = () => setOpen(null)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 p-4">
      <Panel
        title="Sender"
        titleExtra={
          <Button compact disabledReason={disabledReason} onClick={() => setOpen('sender')}>
            Edit sender…
          </Button>
        }
      >
        <Facts
          facts={[
            ['Name', settings.sender_name ?? 'The name on payment pages'],
            ['Replies go to', settings.reply_to ?? 'The sender address of this installation'],
          ]}
        />
      </Panel>
      <Panel title="E-mails" flush>
        <PlainTable
          label="Kinds of e-mails"
          columns={columnsOf(settings, setOpen)}
          rows={mailKinds}
          keyOf={(kind) => kind}
        />
      </Panel>
      {open === 'sender' && <EditSender settings={settings} close={close} />}
      {open !== null && open !== 'sender' && <EditKind kind={open} settings={settings} close={close} />}
    </div>
  )
}

function columnsOf({ kinds, texts }: MailSettings, open: (kind: MailKind) => void): Column<MailKind>[] {
  return [
    { title: 'Kind', phone: true, cell: kindName },
    { title: 'Sent', cell: (kind) => <span className="text-ink2">{kindTime(kind)}</span> },
    {
      title: 'State',
      width: '100px',
      phone: true,
      cell: (kind) =>
        kinds[kind] ? (
          <Chip mark="disc" tone="success" text="On" />
        ) : (
          <Chip mark="bars" tone="neutral" text="Off" />
        ),
    },
    {
      title: 'Own texts',
      wide: true,
      width: '120px',
      cell: (kind) => texts.flatMap((text) => (text.kind === kind ? [text.language] : [])).join(', ') || '–',
    },
    {
      title: 'Actions',
      align: 'right',
      width: '110px',
      phone: true,
      cell: (kind) => (
        <Button compact aria-label={`View ${kindName(kind)}`} onClick={() => open(kind)}>
          View…
        </Button>
      ),
    },
  ]
}

function EditSender({ settings, close }: { settings: MailSettings; close: () => void }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const [name, setName] = useState(settings.sender_name ?? '')
  const [replyTo, setReplyTo] = useState(settings.reply_to ?? '')
  const body = { sender_name: name.trim() || null, reply_to: replyTo.trim() || null }
  return (
    <ActionDialog
      title="Edit sender"
      submit="Save sender"
      call={{
        method: 'PUT',
        path: '/mail-settings',
        body,
        sdk: { method: 'mailSettings.update', args: [body] },
      }}
      run={async (key) => {
        await api.mailSettings.update(body, key)
        await invalidate('mail_settings')
      }}
      successMessage="Sender saved"
      onDone={close}
      onCancel={close}
    >
      <TextField
        label="Sender name"
        pointer="/sender_name"
        hint="If empty, the name on payment pages."
        value={name}
        onChange={setName}
      />
      <TextField
        label="Replies go to"
        pointer="/reply_to"
        hint="If empty, the sender address of this installation."
        type="email"
        value={replyTo}
        onChange={setReplyTo}
      />
    </ActionDialog>
  )
}
