import { useState } from 'react'
import { useWorkspace } from '../../../api/workspace.tsx'
import { fetchSession } from '../../../session/session-api.ts'
import { ActionForm } from '../../../ui/action.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { useRefetchSession } from './refetch-session.ts'

/** The name that others see next to the user's actions. */
export function NameForm() {
  const refetchSession = useRefetchSession()
  const [name, setName] = useState(useWorkspace().session.person.name ?? '')
  return (
    <Panel title="Name">
      <ActionForm
        submit="Save name"
        successMessage="Name saved"
        run={() => fetchSession('PUT', '/session/person', { name })}
        onDone={() => void refetchSession()}
      >
        <TextField label="Your name" autoComplete="name" value={name} onChange={setName} />
      </ActionForm>
    </Panel>
  )
}
