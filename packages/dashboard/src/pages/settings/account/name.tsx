import { useState } from 'react'
import { useHere } from '../../../api/workspace.tsx'
import { knock } from '../../../session/doors.ts'
import { ActionForm } from '../../../ui/action.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { useRereadSession } from './reread-session.ts'

/** What others see beside what one did. */
export function NameForm() {
  const reread = useRereadSession()
  const [name, setName] = useState(useHere().session.person.name ?? '')
  return (
    <Panel title="Name">
      <ActionForm
        submit="Save the name"
        done="Your name is saved."
        run={() => knock('PUT', '/session/person', { name })}
        onDone={() => void reread()}
      >
        <TextField label="Your name" autoComplete="name" value={name} onChange={setName} />
      </ActionForm>
    </Panel>
  )
}
