/** Makes an element. Markup is never written as text: the policy of the page would refuse it. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
  ...children: readonly Node[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}
