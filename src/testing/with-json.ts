/** Returns the answer with its body parsed; {} when the body is no JSON object. */
export function withJson<A extends { readonly body: Buffer }>(
  answer: A,
): A & { readonly json: Record<string, unknown> } {
  const text = answer.body.toString();
  return { ...answer, json: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {} };
}
