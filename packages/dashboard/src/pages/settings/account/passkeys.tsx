/** Passkeys: signing in by a device instead of a password. */
import { useState } from 'react'
import { useHere } from '../../../api/workspace.tsx'
import { knock } from '../../../session/doors.ts'
import { addPasskey } from '../../../session/passkeys.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { useProof } from './proof.tsx'
import { useRereadSession } from './reread-session.ts'

type Passkey = { readonly id: string; readonly name: string; readonly created_at: string }

export function Passkeys() {
  const { passkeys } = useHere().session.person
  const [open, setOpen] = useState<'add' | Passkey | null>(null)
  const close = () => setOpen(null)
  return (
    <Panel
      title="Passkeys"
      flush
      beside={
        <Button compact onClick={() => setOpen('add')}>
          Add…
        </Button>
      }
    >
      <PlainTable
        label="Passkeys"
        rows={passkeys}
        keyOf={({ id }) => id}
        empty="No passkey yet."
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
      {open === 'add' && <Add onClose={close} />}
      {open !== null && open !== 'add' && <Remove passkey={open} onClose={close} />}
    </Panel>
  )
}

function Add({ onClose }: { onClose: () => void }) {
  const reread = useRereadSession()
  const { proof, field } = useProof()
  const [name, setName] = useState('')
  return (
    <ActionDialog
      title="Add a passkey"
      intro="Your browser asks which device to use, then you sign in with it."
      submit="Add"
      done="The passkey is added."
      run={async () => {
        await addPasskey(name, proof)
        await reread()
      }}
      onDone={onClose}
    >
      <TextField label="Name" hint="For you: which device it is." value={name} onChange={setName} autoFocus />
      {field}
    </ActionDialog>
  )
}

function Remove({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const reread = useRereadSession()
  const { proof, field } = useProof()
  return (
    <ActionDialog
      title={`Remove ${passkey.name}`}
      intro="The device does not open your account any more."
      submit="Remove"
      danger
      done="The passkey is removed."
      run={async () => {
        await knock('DELETE', `/session/passkeys/${passkey.id}`, proof)
        await reread()
      }}
      onDone={onClose}
    >
      {field}
    </ActionDialog>
  )
}
