import { portTool } from '../port-tool.ts';
import { closePort as close } from '../ports.ts';

export const closePort = portTool('close-port', 'Register a request to close a port or port range.', close);
