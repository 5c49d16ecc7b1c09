/** Services whose clients may be limited, each with the model's setting that limits them. */
export const firewallServices = [
  { service: 'juju-application-offer', setting: 'saas-ingress-allow' },
  { service: 'ssh', setting: 'ssh-allow' },
] as const;

export const firewallNotice =
  'Firewall rules have been moved to the model settings "ssh-allow" and "saas-ingress-allow": use model-config';
