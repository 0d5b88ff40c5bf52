import { useState } from 'react'
import { knock } from '../../../session/doors.ts'
import { ActionForm } from '../../../ui/action.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { Panel } from '../../../ui/panel.tsx'

/** A new password ends all other sessions: whoever had the old one is out. */
export function PasswordForm() {
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  return (
    <Panel title="Password">
      <ActionForm
        submit="Change the password"
        done="Your password is changed. All other sessions have ended."
        run={() => knock('PUT', '/session/password', { current, password })}
        onDone={() => {
          setCurrent('')
          setPassword('')
        }}
      >
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          hint="Empty if you have none yet."
          value={current}
          onChange={setCurrent}
        />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          hint="At least 12 characters."
          value={password}
          onChange={setPassword}
        />
      </ActionForm>
    </Panel>
  )
}
