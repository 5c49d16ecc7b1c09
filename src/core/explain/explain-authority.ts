/** Warnings about the expiry of the controller's CA certificate, by which clients and agents trust the controller. */
import type { Explanation, ExplainView } from './explanation.ts';

/**
 * Milliseconds before the CA certificate expires at which the warning starts. The certificate cannot be replaced in
 * place, so users need time to move to a new controller.
 */
export const authorityWarningMs = 365 * 86_400_000;

/** The expiring CA certificate as something that needs attention; empty until a year before its end. */
export function explainAuthority({ authorityUntil, now }: ExplainView): Explanation[] {
  if (authorityUntil === undefined) return [];
  const left = Date.parse(authorityUntil) - Date.parse(now);
  if (left > authorityWarningMs) return [];
  const day = authorityUntil.slice(0, 10);
  return [
    {
      kind: 'authority',
      id: '',
      name: 'CA certificate of the controller',
      text:
        left > 0
          ? `expires on ${day}: no client or agent can connect afterwards`
          : `expired on ${day}: no client or agent can connect`,
      actor: {
        kind: 'operator',
        name: 'the controller',
        task: 'bootstrap another controller and deploy there what must keep running, see docs/certificates.md',
        commands: [],
      },
      waitsFor: [],
      more: 0,
      above: false,
    },
  ];
}
