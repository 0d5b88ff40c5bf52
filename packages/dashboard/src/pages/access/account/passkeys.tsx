/** The passkeys of the user. */
import { useState } from 'react'
import { useWorkspace } from '../../../api/workspace.tsx'
import { addPasskey } from '../../../session/passkeys.ts'
import { fetchSession } from '../../../session/session-api.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { useReauthentication } from './reauthentication.tsx'
import { useRefetchSession } from './refetch-session.ts'

type Passkey = { readonly id: string; readonly name: string; readonly created_at: string }

export function Passkeys() {
  const { passkeys } = useWorkspace().session.person
  const [open, setOpen] = useState<'add' | Passkey | null>(null)
  const close = () => setOpen(null)
  return (
    <Panel
      title="Passkeys"
      flush
      titleExtra={
        <Button compact onClick={() => setOpen('add')}>
          Add passkey…
        </Button>
      }
    >
      <PlainTable
        label="Passkeys"
        rows={passkeys}
        keyOf={({ id }) => id}
        empty="No passkeys yet."
        columns={[
          { title: 'Name', phone: true, cell: ({ name }) => name },
          { title: 'Added', cell: ({ created_at }) => <Time at={created_at} /> },
          {
            title: 'Actions',
            align: 'right',
            phone: true,
            cell: (passkey) => (
              <Button compact aria-label={`Remove ${passkey.name}`} onClick={() => setOpen(passkey)}>
                Remove…
              </Button>
            ),
          },
        ]}
      />
      {open === 'add' && <AddPasskeyDialog onClose={close} />}
      {open !== null && open !== 'add' && <RemovePasskeyDialog passkey={open} onClose={close} />}
    </Panel>
  )
}

function AddPasskeyDialog({ onClose }: { onClose: () => void }) {
  const refetchSession = useRefetchSession()
  const { reauthentication, field } = useReauthentication()
  const [name, setName] = useState('')
  return (
    <ActionDialog
      title="Add passkey"
      intro="Your browser asks which device to use. You can then sign in with it."
      submit="Add passkey"
      successMessage="Passkey added"
      run={async () => {
        await addPasskey(name, reauthentication)
        await refetchSession()
      }}
      onDone={onClose}
    >
      <TextField
        label="Name"
        hint="For example, the name of the device."
        value={name}
        onChange={setName}
        autoFocus
      />
      {field}
    </ActionDialog>
  )
}

function RemovePasskeyDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const refetchSession = useRefetchSession()
  const { reauthentication, field } = useReauthentication()
  return (
    <ActionDialog
      title={`Remove ${passkey.name}`}
      intro="You can no longer sign in with this passkey."
      submit="Remove passkey"
      danger
      successMessage="Passkey removed"
      run={async () => {
        await fetchSession('DELETE', `/session/passkeys/${passkey.id}`, reauthentication)
        await refetchSession()
      }}
      onDone={onClose}
    >
      {field}
    </ActionDialog>
  )
}
