/** Adds a copy button to every code block. A status element announces the result. */
import { createElement } from './create-element.ts'

const resultMs = 1_500

export function addCopyButtons(): void {
  const blocks = document.querySelectorAll<HTMLElement>('.code')
  // Browsers only allow clipboard access in secure contexts.
  if (navigator.clipboard === undefined || blocks.length === 0) return
  const status = createElement('p', { role: 'status', className: 'visually-hidden' })
  for (const block of blocks) block.append(createCopyButton(block, status))
  document.getElementById('content')?.append(status)
}

function createCopyButton(block: HTMLElement, status: HTMLElement): HTMLButtonElement {
  const button = createElement('button', { type: 'button', className: 'copy' })
  const label = block.querySelector('pre')?.ariaLabel ?? 'Code'
  const show = (text: string): void => {
    button.textContent = text
    button.ariaLabel = `${text}: ${label}`
  }
  button.addEventListener('click', async () => {
    const text = (await copyToClipboard(block.querySelector('code')?.textContent ?? ''))
      ? 'Copied'
      : 'Not copied'
    show(text)
    status.textContent = text
    setTimeout(() => {
      show('Copy')
      status.textContent = ''
    }, resultMs)
  })
  show('Copy')
  return button
}

/** Returns false if the browser or the user denies clipboard access. */
async function copyToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
