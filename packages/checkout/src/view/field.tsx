/** One field: label, hint, the thing to fill in, and under it what is wrong, tied together for everyone. */
import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import type { Typed } from '../card/typing.ts'
import { say } from '../words.ts'

export type FieldParts = {
  readonly name: string
  readonly label: string
  readonly hint?: string | null
  readonly fault: string | null
  readonly isOptional?: boolean
}

type Shared = FieldParts & {
  readonly value: string
  readonly onType: (value: string) => void
  readonly onLeave: () => void
}

type TextProps = Shared & {
  readonly input?: InputHTMLAttributes<HTMLInputElement>
  /** Rewrites what was typed, and says where the caret goes. */
  readonly retype?: (typed: Typed, isShorter: boolean) => Typed
  /** A word at the end of the field. */
  readonly mark?: string | null
}

export function TextField({ input, retype, mark, value, onType, onLeave, ...parts }: TextProps) {
  const typed = ({ currentTarget: element }: { currentTarget: HTMLInputElement }) => {
    if (retype === undefined) return onType(element.value)
    const caret = element.selectionStart ?? element.value.length
    const next = retype({ text: element.value, caret }, element.value.length < value.length)
    // Put in place at once: a browser moves the caret to the end of a text that is changed later.
    if (element.value !== next.text) element.value = next.text
    if (element.ownerDocument.activeElement === element) element.setSelectionRange(next.caret, next.caret)
    onType(next.text)
  }
  return (
    <Frame {...parts}>
      <span class="box">
        <input
          type="text"
          {...input}
          {...tied(parts)}
          required={parts.isOptional !== true}
          value={value}
          onInput={typed}
          onBlur={onLeave}
        />
        {mark && <span class="mark">{mark}</span>}
      </span>
    </Frame>
  )
}

type SelectProps = Shared & {
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly autocomplete?: string
}

export function SelectField({ options, autocomplete, value, onType, onLeave, ...parts }: SelectProps) {
  return (
    <Frame {...parts}>
      <span class="box">
        <select
          {...tied(parts)}
          {...(autocomplete !== undefined && { autocomplete })}
          required={parts.isOptional !== true}
          value={value}
          onChange={({ currentTarget }) => onType(currentTarget.value)}
          onBlur={onLeave}
        >
          <option value="">{say('choose')}</option>
          {options.map((option) => (
            <option value={option.value}>{option.label}</option>
          ))}
        </select>
      </span>
    </Frame>
  )
}

function Frame({
  name,
  label,
  hint,
  fault,
  isOptional,
  children,
}: FieldParts & { children: ComponentChildren }) {
  return (
    <div class={fault === null ? 'field' : 'field wrong'}>
      <label for={name}>
        {label}
        {isOptional === true && <small> ({say('optional')})</small>}
      </label>
      {hint != null && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {children}
      {fault !== null && (
        <p class="fault" id={`${name}-fault`}>
          {fault}
        </p>
      )}
    </div>
  )
}

function tied({ name, hint, fault }: FieldParts) {
  const described = [hint != null && `${name}-hint`, fault !== null && `${name}-fault`].filter(Boolean)
  return {
    id: name,
    name,
    'aria-invalid': fault !== null,
    ...(described.length > 0 && { 'aria-describedby': described.join(' ') }),
  }
}
